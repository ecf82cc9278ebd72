import fc from 'fast-check';

// Loaded before test files. `PULSE_PROPERTY_SEED` names the random cases; without it, every run has the same.
fc.configureGlobal({ seed: Number(process.env['PULSE_PROPERTY_SEED'] ?? 1) });
