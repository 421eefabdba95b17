/** What the process of a token is asked. It is asked one thing at a time, and gives one reply to each. */
export interface TokenRequest {
  readonly operation: 'wrap' | 'unwrap' | 'require' | 'make' | 'examine' | 'publicKey' | 'sign';
  /** The label of the key. */
  readonly object: string;
  /** What is wrapped, unwrapped or signed. */
  readonly bytes?: Uint8Array;
  readonly context?: string;
}

/**
 * `away` is `TokenAway`, `refused` is of this request alone, `configuration` needs a person, `pin` is `RefusedPin` and tells the version of the file, `wrong` is
 * `WrongMasterKey`; anything else is a defect.
 */
export type TokenReply =
  | { readonly bytes: Uint8Array | undefined }
  | { readonly failure: 'away' | 'refused' | 'configuration' | 'wrong' | 'other'; readonly message: string }
  | { readonly failure: 'pin'; readonly message: string; readonly version: string | undefined };
