//! Power series in one and two variables, cut off at the same power in each.

/// Coefficients of `x^0` to `x^(size-1)`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series(pub(crate) Vec<f64>);

impl Series {
    pub(crate) fn zero(size: usize) -> Self {
        Self(vec![0.0; size])
    }

    pub(crate) fn one(size: usize) -> Self {
        let mut one = Self::zero(size);
        one.0[0] = 1.0;
        one
    }

    pub(crate) fn plus(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(sum, term)| *sum += term);
        self
    }

    pub(crate) fn scaled(&self, factor: f64) -> Self {
        Self(self.0.iter().map(|term| term * factor).collect())
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut product = Self::zero(self.0.len());
        add_product(&mut product.0, &self.0, &other.0);
        product
    }

    pub(crate) fn total(&self) -> f64 {
        self.0.iter().sum()
    }
}

/// `into += left right`, cut off.
fn add_product(into: &mut [f64], left: &[f64], right: &[f64]) {
    for (shift, factor) in left.iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
        for (sum, term) in into[shift..].iter_mut().zip(right) {
            *sum += factor * term;
        }
    }
}

/// Coefficients of `x^i y^j`, `i` and `j` from 0 to `size - 1`; row `i` holds all `j`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plane {
    size: usize,
    terms: Vec<f64>,
}

impl Plane {
    pub(crate) fn new(size: usize, at: impl Fn(usize, usize) -> f64) -> Self {
        Self { size, terms: (0..size * size).map(|index| at(index / size, index % size)).collect() }
    }

    pub(crate) fn zero(size: usize) -> Self {
        Self::new(size, |_, _| 0.0)
    }

    pub(crate) fn one(size: usize) -> Self {
        Self::new(size, |i, j| if i + j == 0 { 1.0 } else { 0.0 })
    }

    /// The series as one in `y`.
    pub(crate) fn of_second(series: &Series) -> Self {
        Self::new(series.0.len(), |i, j| if i == 0 { series.0[j] } else { 0.0 })
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    pub(crate) fn set_first(&mut self, value: f64) {
        self.terms[0] = value;
    }

    pub(crate) fn scaled(&self, factor: f64) -> Self {
        Self { size: self.size, terms: self.terms.iter().map(|term| term * factor).collect() }
    }

    pub(crate) fn plus(mut self, other: &Self) -> Self {
        self.terms.iter_mut().zip(&other.terms).for_each(|(sum, term)| *sum += term);
        self
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        let size = self.size;
        let mut product = Self::zero(size);
        for (i, left) in self.terms.chunks(size).enumerate().filter(|(_, row)| row.iter().any(|term| *term != 0.0)) {
            for (row, right) in product.terms[i * size..].chunks_mut(size).zip(other.terms.chunks(size)) {
                add_product(row, left, right);
            }
        }
        product
    }

    /// The product with a series in `y`.
    pub(crate) fn times_second(&self, series: &Series) -> Self {
        let mut product = Self::zero(self.size);
        for (row, left) in product.terms.chunks_mut(self.size).zip(self.terms.chunks(self.size)) {
            add_product(row, left, &series.0);
        }
        product
    }

    pub(crate) fn total(&self) -> f64 {
        self.terms.iter().sum()
    }
}

/// Probabilities of `0, 1, ...` up to `most` successes in `trials` trials of chance `u`.
pub(crate) fn binomials(trials: u64, u: f64, most: usize) -> Vec<f64> {
    if u >= 1.0 {
        return (0..=most).map(|count| if count as u64 == trials { 1.0 } else { 0.0 }).collect();
    }
    let mut term = (trials as f64 * (-u).ln_1p()).exp();
    let mut all = Vec::with_capacity(most + 1);
    for count in 0..=most {
        all.push(term);
        term *= trials.saturating_sub(count as u64) as f64 / (count + 1) as f64 * (u / (1.0 - u));
    }
    all
}
