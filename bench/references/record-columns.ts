/** The members of a record in REST answers, as columns of the table `transactions`. */
export const RECORD_COLUMNS = `id, asset_id as "assetId", 'solana' as network, signature as "networkTransactionId", type,
  slot::float8 as slot, block_time::float8 as "blockTime", signer, public_data as "publicData", ciphertexts,
  indexed_at as "indexedAt", source_account as "sourceAccount", destination_account as "destinationAccount"`;
