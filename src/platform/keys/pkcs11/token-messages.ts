/** A request to the process of a token. The process gets one request at a time, and sends one reply to each. */
export interface TokenRequest {
  readonly operation: 'wrap' | 'unwrap' | 'require' | 'make' | 'examine' | 'publicKey' | 'sign';
  /** The label of the key. */
  readonly object: string;
  /** The bytes to wrap, unwrap or sign. */
  readonly bytes?: Uint8Array;
  readonly context?: string;
}

/**
 * Failures: `away` is `TokenAway`, `refused` concerns only this request, `configuration` needs a person, `pin` is `RefusedPin`
 * with the version of the file, and `wrong` is `WrongMasterKey`. `other` is a defect.
 */
export type TokenReply =
  | { readonly bytes: Uint8Array | undefined }
  | { readonly failure: 'away' | 'refused' | 'configuration' | 'wrong' | 'other'; readonly message: string }
  | { readonly failure: 'pin'; readonly message: string; readonly version: string | undefined };
