/** Properties are tried on the same values in every run; `FAST_CHECK_SEED` tries others. */
import fc from 'fast-check';
import './hashing.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.FAST_CHECK_SEED ?? 20_260_115) });
