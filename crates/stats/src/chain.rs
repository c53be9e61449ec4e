//! The Markov chain of empty bins (private).
//!
//! Mark `j` of `m` bins and throw balls. The number `u` of marked bins still empty only
//! falls, so one step is a lower triangular matrix `A[u][v]` of probabilities, and
//! `(A^t)[j][0]` is the probability that all `j` are occupied after `t` steps, for every `j`
//! at once. `A^t` comes from repeated squaring. All terms are positive, so nothing
//! cancels; an entry `d` places off the diagonal is a sum of products of at most `d`
//! off-diagonal entries, so its relative error grows by about `d` roundings per
//! squaring, `j log2(t)` in all, *provided* the diagonal is not squared along (its error
//! would double each time): it is computed afresh from `ln A[u][u]` at every power.

/// A lower triangular stochastic matrix, rows one after the other: `A[u][v]`, `v <= u`.
pub(crate) struct Chain {
    size: usize,
    one_step: Vec<f64>,
    /// `ln A[u][u]`.
    ln_stay: Vec<f64>,
}

/// Place of entry `(u, 0)`.
fn row(u: usize) -> usize {
    u * (u + 1) / 2
}

impl Chain {
    /// The chain of states `0..size` with `step(u, v)` the probability of `u -> v`, `v < u`,
    /// and `ln_stay(u)` the logarithm of that of `u -> u`.
    pub(crate) fn new(size: usize, step: impl Fn(usize, usize) -> f64, ln_stay: impl Fn(usize) -> f64) -> Self {
        let ln_stay: Vec<f64> = (0..size).map(ln_stay).collect();
        let mut one_step = Vec::with_capacity(row(size));
        for (u, ln) in ln_stay.iter().enumerate() {
            one_step.extend((0..u).map(|v| step(u, v)));
            one_step.push(ln.exp());
        }
        Self { size, one_step, ln_stay }
    }

    /// Column 0 of the `t`-th power: the probability of being in state 0 after `t` steps from
    /// state `u`, for every `u`.
    pub(crate) fn absorbed(&self, t: u64) -> Vec<f64> {
        let mut power = self.identity();
        let mut exponent = 0_u64;
        for bit in (0..u64::BITS - t.leading_zeros()).rev() {
            power = self.product(&power, &power);
            exponent *= 2;
            self.set_diagonal(&mut power, exponent);
            if t >> bit & 1 == 1 {
                power = self.product(&power, &self.one_step);
                exponent += 1;
                self.set_diagonal(&mut power, exponent);
            }
        }
        (0..self.size).map(|u| power[row(u)].min(1.0)).collect()
    }

    fn identity(&self) -> Vec<f64> {
        let mut matrix = vec![0.0; row(self.size)];
        self.set_diagonal(&mut matrix, 0);
        matrix
    }

    fn set_diagonal(&self, matrix: &mut [f64], exponent: u64) {
        for (u, &ln) in self.ln_stay.iter().enumerate() {
            // A state that cannot be kept has ln = -inf, and 0 * -inf must read as ln 1.
            let stay = if exponent == 0 { 1.0 } else { (exponent as f64 * ln).exp() };
            matrix[row(u) + u] = stay;
        }
    }

    fn product(&self, left: &[f64], right: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; row(self.size)];
        for u in 0..self.size {
            for w in 0..=u {
                let weight = left[row(u) + w];
                if weight > 0.0 {
                    let (target, source) = (row(u), row(w));
                    for v in 0..=w {
                        out[target + v] += weight * right[source + v];
                    }
                }
            }
        }
        out
    }
}
