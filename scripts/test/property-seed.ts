import fc from 'fast-check';

// Loaded before test files. `PULSE_PROPERTY_SEED` selects the random cases. Without it, every run has the same cases.
fc.configureGlobal({ seed: Number(process.env['PULSE_PROPERTY_SEED'] ?? 1) });
