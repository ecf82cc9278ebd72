/** How the expected staleness of a copy grows with its age, at a rate of changes per ms; ages in ms. */
export interface Ageing {
  /** Expected staleness at an age: a(τ). */
  staleness(changes: number, age: number): number;
  /** ∫₀^τ a. */
  summed(changes: number, age: number): number;
  /** Chance that the copy has missed a change: a′(τ). */
  missed(changes: number, age: number): number;
}

/** Below this λτ the series is exact and the closed form loses digits. */
const SMALL = 1e-2;

/** Changes come as a Poisson process (Cho and Garcia-Molina). */
export const randomAgeing: Ageing = {
  staleness(changes, age) {
    const x = changes * age;
    return x < SMALL ? age * (x / 2 - (x * x) / 6 + (x * x * x) / 24) : age + Math.expm1(-x) / changes;
  },
  summed(changes, age) {
    const x = changes * age;
    if (x < SMALL) return age * age * (x / 6 - (x * x) / 24 + (x * x * x) / 120);
    return (age * age) / 2 - age / changes - Math.expm1(-x) / (changes * changes);
  },
  missed: (changes, age) => -Math.expm1(-changes * age),
};

/** Changes come at even gaps, at a phase that nobody knows. */
export const regularAgeing: Ageing = {
  staleness(changes, age) {
    const gap = 1 / changes;
    return age < gap ? (age * age) / (2 * gap) : age - gap / 2;
  },
  summed(changes, age) {
    const gap = 1 / changes;
    if (age < gap) return age ** 3 / (6 * gap);
    return (gap * gap) / 6 + (age * age - gap * gap) / 2 - (gap * (age - gap)) / 2;
  },
  missed: (changes, age) => Math.min(1, changes * age),
};
