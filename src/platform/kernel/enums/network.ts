/** The ledger networks that Lucarne knows. */
export const NETWORKS = ['solana'] as const;

export type Network = (typeof NETWORKS)[number];
