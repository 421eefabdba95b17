/** Data that the auditors of a case can see in addition to amounts and days. Everything else is masked. */
export interface DisclosureFlags {
  /** Ids, signatures and exact times of transactions. */
  readonly fullTxIds: boolean;
  /** The source account, the authority and the signer. */
  readonly senderInformation: boolean;
  /** Amounts and destinations of withdrawals. */
  readonly withdrawalDetails: boolean;
}

export type DisclosureFlagsInput = { readonly [Flag in keyof DisclosureFlags]?: boolean | null | undefined };

/** An omitted flag is not granted. */
export function parseFlags(input: DisclosureFlagsInput): DisclosureFlags {
  return {
    fullTxIds: input.fullTxIds ?? false,
    senderInformation: input.senderInformation ?? false,
    withdrawalDetails: input.withdrawalDetails ?? false,
  };
}

/** The names in the activity log and in REST. */
export const describeFlags = (flags: DisclosureFlags) => ({
  full_tx_ids: flags.fullTxIds,
  sender_information: flags.senderInformation,
  withdrawal_details: flags.withdrawalDetails,
});
