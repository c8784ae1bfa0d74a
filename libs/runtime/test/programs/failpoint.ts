import { armFailpoint, failpoint } from '../../src/index.ts';

failpoint('after-prepare');
armFailpoint('after-prepare');
failpoint('before-commit');
process.stdout.write('alive');
failpoint('after-prepare');
process.stdout.write('never written');
