import fc from 'fast-check';

/**
 * fast-check, for all properties. `PROPERTY_SEED` determines the generated cases, so that the result for a commit can be
 * reproduced. Without it, every run generates others. A failing property prints its seed.
 */
const seed = process.env['PROPERTY_SEED'];
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });

export { fc };
