import fc from 'fast-check';

// Loaded before test files, unless the long tests run: a push is tested with the cases that every push is tested with, and
// new ones are looked for at night.
fc.configureGlobal({ seed: Number(process.env['PULSE_PROPERTY_SEED'] ?? 1) });
