// `relay-package.ts` for browsers. Reading a package takes the curve of its proof, which is more than a page
// should load: the portal checks receipts without their package, and says that `lucarne verify` checks both.
const COMMAND_ONLY = 'The package is checked by `lucarne verify FILE` only.';

export const parseRelayPackage: (submitted: unknown) => never = () => {
  throw new Error(COMMAND_ONLY);
};

export const packageDigest: (submitted: never) => Uint8Array = () => {
  throw new Error(COMMAND_ONLY);
};

export const unreadMembers: (submitted: object) => readonly string[] = () => [];
