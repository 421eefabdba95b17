// `relay-package.ts` for browsers. To parse a package, a page would have to load the elliptic curve of its proof, which is too
// large. The portal checks receipts without their package, and states that `lucarne verify` checks both.
const COMMAND_ONLY = 'The package is checked by `lucarne verify FILE` only.';

export const parseRelayPackage: (submitted: unknown) => never = () => {
  throw new Error(COMMAND_ONLY);
};

export const packageDigest: (submitted: never) => Uint8Array = () => {
  throw new Error(COMMAND_ONLY);
};

export const unreadMembers: (submitted: object) => readonly string[] = () => [];
