/** An armored age file: base64 between two lines, and no keypair next to it. */
export const AGE_FILE =
  /^-----BEGIN AGE ENCRYPTED FILE-----[A-Za-z0-9+/=\s]+-----END AGE ENCRYPTED FILE-----$/;
