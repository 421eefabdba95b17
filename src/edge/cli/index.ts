export { CommandFailed } from './command-failed.js';
export { runCommand } from './program.js';
export type {
  DatabaseAccess,
  ExaminationOptions,
  Examined,
  KeyRoom,
  Product,
  RelayerStatus,
} from './product.js';
export { print, styled, type Terminal } from './terminal.js';
