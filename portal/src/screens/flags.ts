/** What a case can show beyond amounts and days. */
export const FLAGS = ['fullTxIds', 'senderInformation', 'withdrawalDetails'] as const;
export type Flag = (typeof FLAGS)[number];
