//! Moves labels apart along one direction.

/// Moves intervals of given sizes as little as possible from their centres so that none overlap, within bounds if
/// they have room there. Returns the new centres, in the order given.
pub fn spread(wanted: &[(f64, f64)], (low, high): (f64, f64)) -> Vec<f64> {
    struct Cluster {
        members: Vec<usize>,
        centre: f64,
        size: f64,
    }
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].0.total_cmp(&wanted[b].0));
    let bounded = |centre: f64, size: f64| centre.min(high - size / 2.0).max(low + size / 2.0);
    let mut clusters: Vec<Cluster> = Vec::new();
    for index in order {
        let (centre, size) = wanted[index];
        let mut last = Cluster { members: vec![index], centre: bounded(centre, size), size };
        while let Some(before) = clusters.pop() {
            if before.centre + before.size / 2.0 <= last.centre - last.size / 2.0 {
                clusters.push(before);
                break;
            }
            let mut members = before.members;
            members.extend(&last.members);
            let size = before.size + last.size;
            // The mean of where each member would have the cluster's centre.
            let mut start = -size / 2.0;
            let mut sum = 0.0;
            for &member in &members {
                sum += wanted[member].0 - (start + wanted[member].1 / 2.0);
                start += wanted[member].1;
            }
            let centre = bounded(sum / members.len() as f64, size);
            last = Cluster { members, centre, size };
        }
        clusters.push(last);
    }
    let mut centres = vec![0.0; wanted.len()];
    for cluster in clusters {
        let mut start = cluster.centre - cluster.size / 2.0;
        for member in cluster.members {
            centres[member] = start + wanted[member].1 / 2.0;
            start += wanted[member].1;
        }
    }
    centres
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_with_room_stay() {
        assert_eq!(spread(&[(10.0, 4.0), (30.0, 4.0)], (0.0, 50.0)), [10.0, 30.0]);
    }

    #[test]
    fn crowded_labels_move_apart_and_stay_in_bounds() {
        let wanted = [(48.0, 8.0), (49.0, 8.0), (20.0, 8.0), (47.0, 8.0), (22.0, 8.0)];
        let centres = spread(&wanted, (0.0, 50.0));
        let mut sorted = centres.clone();
        sorted.sort_by(f64::total_cmp);
        assert!(sorted.windows(2).all(|w| w[1] - w[0] >= 8.0 - 1e-9), "{centres:?}");
        assert!(sorted[4] <= 46.0 + 1e-9 && sorted[0] >= 4.0);
        assert!(centres[3] < centres[0] && centres[0] < centres[1]);
    }
}
