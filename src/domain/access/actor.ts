/** The actor of an action: a user (`usr_…`), an API key (`key_…`) or the operator at the command line. */
export interface Actor {
  readonly id: string;
  readonly name: string;
}

/** The person at the server's command line, who needs no account. */
export const OPERATOR: Actor = { id: 'operator', name: 'Operator' };

/** The actor of actions that the gateway starts itself. */
export const GATEWAY: Actor = { id: 'gateway', name: 'Gateway' };
