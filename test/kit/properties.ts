import fc from 'fast-check';

/**
 * fast-check, for all properties. `PROPERTY_SEED` says which cases are drawn, so that the verdict on a commit can be
 * had again; without it every run draws others. A failing property prints its seed.
 */
const seed = process.env['PROPERTY_SEED'];
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });

export { fc };
