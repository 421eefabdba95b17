/** Who acts: a user (`usr_…`), an API key (`key_…`) or the operator at the command line. */
export interface Actor {
  readonly id: string;
  readonly name: string;
}

/** The person at the server's command line, who needs no account. */
export const OPERATOR: Actor = { id: 'operator', name: 'Operator' };

/** The actor of what the gateway does by itself. */
export const GATEWAY: Actor = { id: 'gateway', name: 'Gateway' };
