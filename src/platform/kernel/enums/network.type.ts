import { graphqlEnum } from './enum.type.js';
import type { Network } from './network.js';

export const NetworkEnum = graphqlEnum<Network>('Network', 'A ledger network.', { solana: 'Solana.' });
