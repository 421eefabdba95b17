import type { LedgerErrorKind } from '../../../../src/platform/ledger/ledger-error.ts';
import { countText } from '../../format.ts';
import { texts } from '../../texts.ts';

/** What led into doubt. */
export const CAUSES = texts(
  {
    send_unseen: 'No node says that it took the transaction. It may have arrived all the same.',
    taken_over: 'Another instance of the gateway took over after the transaction was signed.',
    providers_disagree: 'The nodes do not agree, so that only proof ends this.',
    spent_before_signing:
      'What the package spends is spent, perhaps by an earlier transaction of this relay.',
  },
  {
    fr: {
      send_unseen: 'Aucun nœud ne dit avoir pris la transaction. Elle est peut-être arrivée quand même.',
      taken_over: 'Une autre instance de la passerelle a pris la suite après la signature de la transaction.',
      providers_disagree: 'Les nœuds ne sont pas d’accord : seule une preuve y met fin.',
      spent_before_signing:
        'Ce que le paquet dépense est dépensé, peut-être par une transaction antérieure de ce relais.',
    },
  },
);
export const SHOWN_BY = texts(
  {
    transaction: 'A majority of the nodes shows the transaction, finalized.',
    state: 'Accounts exist, finalized, that only this package makes.',
  },
  {
    fr: {
      transaction: 'Une majorité des nœuds montre la transaction, finalisée.',
      state: 'Des comptes existent, finalisés, que seul ce paquet crée.',
    },
  },
);
export const CHECK_REASONS = texts(
  {
    not_approved: 'An address is not listed, and addresses that are not listed are not approved.',
    revoked: 'The approval of an address was revoked.',
    sanctioned: 'A screening step names an address.',
    unknown_application: 'The package names an application that does not exist.',
  },
  {
    fr: {
      not_approved: 'Une adresse n’est pas dans la liste, et ce qui n’y est pas n’est pas approuvé.',
      revoked: 'L’approbation d’une adresse a été révoquée.',
      sanctioned: 'Une étape de filtrage nomme une adresse.',
      unknown_application: 'Le paquet nomme une application qui n’existe pas.',
    },
  },
);
/** What stands in evidence as one value. */
export const FACT_NAMES = texts(
  {
    signature: 'Transaction',
    blockhash: 'Blockhash',
    blockhashOf: 'Node that gave the blockhash',
    contextSlot: 'As of slot',
    slot: 'Slot',
    lastValidBlockHeight: 'Last valid block height',
    computeUnits: 'Compute units',
    maxUnits: 'Compute units that the pool allows',
    microLamportsPerUnit: 'Price of a unit, in millionths of a lamport',
    feeLamports: 'Fee, in lamports',
    maxFeeLamports: 'Fee that the pool allows, in lamports',
    costLamports: 'Cost with the accounts that it makes, in lamports',
    maxCostLamports: 'Cost that the pool allows, in lamports',
    budget: 'Budget that is used up',
    lamportsPerDay: 'Budget for a day, in lamports',
    spender: 'Transaction that spent it',
    node: 'Node that was asked first',
    payer: 'Payer',
  },
  {
    fr: {
      signature: 'Transaction',
      blockhash: 'Blockhash',
      blockhashOf: 'Nœud qui a donné le blockhash',
      contextSlot: 'Au slot',
      slot: 'Slot',
      lastValidBlockHeight: 'Dernière hauteur de bloc valide',
      computeUnits: 'Unités de calcul',
      maxUnits: 'Unités de calcul que le pool permet',
      microLamportsPerUnit: 'Prix d’une unité, en millionièmes de lamport',
      feeLamports: 'Frais, en lamports',
      maxFeeLamports: 'Frais que le pool permet, en lamports',
      costLamports: 'Coût avec les comptes créés, en lamports',
      maxCostLamports: 'Coût que le pool permet, en lamports',
      budget: 'Budget épuisé',
      lamportsPerDay: 'Budget d’un jour, en lamports',
      spender: 'Transaction qui l’a dépensé',
      node: 'Nœud interrogé en premier',
      payer: 'Payeur',
    },
  },
);
/** What stands in evidence as one answer of each node. */
export const GROUP_TITLES = texts(
  {
    nullifiers: 'Is what the package spends already spent?',
    confirmed: 'Is it spent in what is confirmed and not final?',
    simulations: 'Would the ledger execute it?',
    nodes: 'Did the nodes take the transaction?',
    sent: 'Did the nodes take the transaction?',
    providers: 'What each node says of finalized state',
    terms: 'What would it cost?',
    leftOut: 'Nodes that were not believed',
    heights: 'Heights that were believed',
  },
  {
    fr: {
      nullifiers: 'Ce que le paquet dépense est-il déjà dépensé ?',
      confirmed: 'Est-ce dépensé dans ce qui est confirmé, mais pas final ?',
      simulations: 'Le registre l’exécuterait-il ?',
      nodes: 'Les nœuds ont-ils pris la transaction ?',
      sent: 'Les nœuds ont-ils pris la transaction ?',
      providers: 'Ce que chaque nœud dit de l’état finalisé',
      terms: 'Combien cela coûterait-il ?',
      leftOut: 'Nœuds qui n’ont pas été crus',
      heights: 'Hauteurs qui ont été crues',
    },
  },
);
/** Why a node was not believed. */
export const LIES = texts(
  {
    impossible_slot: 'It names a slot that the chain cannot have reached.',
    impossible_height: 'It names a height that the chain cannot have reached.',
    contradicted: 'A majority of the nodes contradicts it.',
  },
  {
    fr: {
      impossible_slot: 'Il nomme un slot que la chaîne ne peut avoir atteint.',
      impossible_height: 'Il nomme une hauteur que la chaîne ne peut avoir atteinte.',
      contradicted: 'Une majorité des nœuds le contredit.',
    },
  },
);
export const ERRORS: Readonly<Record<Exclude<LedgerErrorKind, 'rpc'>, string>> = texts(
  {
    unreachable: 'It could not be reached.',
    timeout: 'It did not answer in time.',
    rate_limited: 'It accepts no more requests for now.',
    nonsense: 'Its answer is not valid.',
  },
  {
    fr: {
      unreachable: 'Il n’a pas pu être joint.',
      timeout: 'Il n’a pas répondu à temps.',
      rate_limited: 'Il ne prend plus de questions pour le moment.',
      nonsense: 'Sa réponse n’a pas de sens.',
    },
  },
);
/** How far the ledger is with a transaction. */
export const COMMITMENTS = texts(
  { processed: 'processed', confirmed: 'confirmed', finalized: 'finalized' },
  { fr: { processed: 'traitée', confirmed: 'confirmée', finalized: 'finalisée' } },
);
export const QUESTIONS = texts(
  {
    height: 'its height',
    statuses: 'the transaction',
    transaction: 'the outcome of the transaction',
    nullifiers: 'what the package spends',
    spender: 'who spent it',
    outputs: 'the accounts that the package makes',
    blockhashes: 'the blockhash',
  },
  {
    fr: {
      height: 'sa hauteur',
      statuses: 'la transaction',
      transaction: 'l’issue de la transaction',
      nullifiers: 'ce que le paquet dépense',
      spender: 'qui l’a dépensé',
      outputs: 'les comptes que le paquet crée',
      blockhashes: 'le blockhash',
    },
  },
);
export const EXCESSES = texts(
  { resource_fee_exceeded: 'the fee.', resource_limit_exceeded: 'the whole cost.' },
  { fr: { resource_fee_exceeded: 'les frais.', resource_limit_exceeded: 'le coût entier.' } },
);

export const EVIDENCE_WORDS = texts(
  {
    checks: 'Checks of the addresses',
    noChecks: 'no address had to be checked',
    valid: 'The package is valid.',
    dead: (height: string, slot: string) =>
      `No transaction of this relay can land above block height ${height}, and as of slot ${slot} finalized state is past it and has none.`,
    refusedWith: (code: string, failure: string) => `It answered with the error ${code}: ${failure}`,
    failedWith: (code: string) => `It answered with the error ${code}.`,
    unasked: (question: string) => `It did not answer the question about ${question}.`,
    unfinished: 'It was slow, and the others were enough.',
    silent: 'It gave no answer that counts.',
    took: 'It took the transaction.',
    spent: (spent: number, total: number, slot: string) =>
      total === 1
        ? `The nullifier is ${spent === 0 ? 'not spent' : 'spent'} as of slot ${slot}.`
        : `${spent === 0 ? 'None' : countText(spent)} of ${countText(total)} nullifiers ${spent < 2 ? 'is' : 'are'} spent as of slot ${slot}.`,
    ofAttempt: (signature: string, sentence: string) => `${signature}: ${sentence}`,
    executes: (units: string, slot: string) =>
      `It would execute it with ${units} compute units, as of slot ${slot}.`,
    debit: (lamports: string) => `It would take ${lamports} lamports in addition to the fee.`,
    refuses: (failure: string, slot: string) => `It would refuse it as of slot ${slot}: ${failure}`,
    height: (slot: string, height: string) => `It is at slot ${slot} and block height ${height}, finalized.`,
    unknown: (signature: string, slot: string) => `It knows no transaction ${signature} as of slot ${slot}.`,
    known: (signature: string, commitment: string, slot: string) =>
      `It knows the transaction ${signature}, ${commitment} at slot ${slot}.`,
    knownFailed: (signature: string, failure: string) =>
      `It knows the transaction ${signature} as failed: ${failure}`,
    landed: (slot: string) => `It shows the transaction, finalized at slot ${slot}. It succeeded.`,
    failed: (slot: string, failure: string) =>
      `It shows the transaction, finalized at slot ${slot}. It failed: ${failure}`,
    fee: (fee: string) => `The fee was ${fee} lamports.`,
    blockhashValid: (slot: string) => `The blockhash is still valid as of slot ${slot}.`,
    blockhashExpired: (slot: string) => `The blockhash is not valid anymore as of slot ${slot}.`,
    spentBy: (signature: string) => `The transaction ${signature} spent it.`,
    noSpender: 'It does not show which transaction spent it.',
    outputs: 'The accounts exist that only this package makes.',
    noOutputs: 'Not all accounts exist that this package makes.',
    cost: (cost: string, fee: string) => `${cost} lamports, of which the fee is ${fee}.`,
    dear: (bound: string) => `That is more than is allowed: ${bound}`,
  },
  {
    fr: {
      checks: 'Contrôles des adresses',
      noChecks: 'aucune adresse n’était à contrôler',
      valid: 'Le paquet est valide.',
      dead: (height: string, slot: string) =>
        `Aucune transaction de ce relais ne peut aboutir au-delà de la hauteur de bloc ${height} ; au slot ${slot}, l’état finalisé l’a dépassée et n’en a aucune.`,
      refusedWith: (code: string, failure: string) => `Il a répondu par l’erreur ${code} : ${failure}`,
      failedWith: (code: string) => `Il a répondu par l’erreur ${code}.`,
      unasked: (question: string) => `Il n’a pas répondu à la question sur ${question}.`,
      unfinished: 'Il était lent, et les autres ont suffi.',
      silent: 'Il n’a donné aucune réponse qui compte.',
      took: 'Il a pris la transaction.',
      spent: (spent: number, total: number, slot: string) =>
        total === 1
          ? `Le nullifier ${spent === 0 ? 'n’est pas' : 'est'} dépensé au slot ${slot}.`
          : spent === 0
            ? `Aucun des ${countText(total)} nullifiers n’est dépensé au slot ${slot}.`
            : `${countText(spent)} des ${countText(total)} nullifiers ${spent === 1 ? 'est dépensé' : 'sont dépensés'} au slot ${slot}.`,
      ofAttempt: (signature: string, sentence: string) => `${signature} : ${sentence}`,
      executes: (units: string, slot: string) =>
        `Il l’exécuterait avec ${units} unités de calcul, au slot ${slot}.`,
      debit: (lamports: string) => `Il prélèverait ${lamports} lamports en plus des frais.`,
      refuses: (failure: string, slot: string) => `Il la refuserait au slot ${slot} : ${failure}`,
      height: (slot: string, height: string) =>
        `Il est au slot ${slot} et à la hauteur de bloc ${height}, finalisés.`,
      unknown: (signature: string, slot: string) =>
        `Il ne connaît pas de transaction ${signature} au slot ${slot}.`,
      known: (signature: string, commitment: string, slot: string) =>
        `Il connaît la transaction ${signature}, ${commitment} au slot ${slot}.`,
      knownFailed: (signature: string, failure: string) =>
        `Il connaît la transaction ${signature} comme échouée : ${failure}`,
      landed: (slot: string) => `Il montre la transaction, finalisée au slot ${slot}. Elle a réussi.`,
      failed: (slot: string, failure: string) =>
        `Il montre la transaction, finalisée au slot ${slot}. Elle a échoué : ${failure}`,
      fee: (fee: string) => `Les frais étaient de ${fee} lamports.`,
      blockhashValid: (slot: string) => `Le blockhash est encore valide au slot ${slot}.`,
      blockhashExpired: (slot: string) => `Le blockhash n’est plus valide au slot ${slot}.`,
      spentBy: (signature: string) => `La transaction ${signature} l’a dépensé.`,
      noSpender: 'Il ne montre pas quelle transaction l’a dépensé.',
      outputs: 'Les comptes que seul ce paquet crée existent.',
      noOutputs: 'Les comptes que ce paquet crée n’existent pas tous.',
      cost: (cost: string, fee: string) => `${cost} lamports, dont ${fee} de frais.`,
      dear: (bound: string) => `C’est plus que ce qui est permis : ${bound}`,
    },
  },
);
