export { generateTableTypes, type TableTypesOptions } from './table-types.ts';
