import type { LedgerErrorKind } from '../../../../src/platform/ledger/ledger-error.ts';
import { countText } from '../../format.ts';
import { texts } from '../../texts.ts';

/** What led into doubt. */
export const CAUSES = texts(
  {
    send_unseen:
      'No node confirmed that it received the transaction. The transaction may still have reached the network.',
    taken_over: 'Another instance of the gateway took over after the transaction was signed.',
    providers_disagree: 'The nodes disagree, so the relay ends only with a proof.',
    spent_before_signing:
      'A nullifier of the package is already spent, possibly by an earlier transaction of this relay.',
  },
  {
    fr: {
      send_unseen:
        'Aucun nœud n’a confirmé avoir reçu la transaction. Elle a peut-être quand même atteint le réseau.',
      taken_over: 'Une autre instance de la passerelle a pris la suite après la signature de la transaction.',
      providers_disagree: 'Les nœuds ne sont pas d’accord : seule une preuve met fin au relais.',
      spent_before_signing:
        'Un nullifier du paquet est déjà dépensé, peut-être par une transaction antérieure de ce relais.',
    },
  },
);
export const SHOWN_BY = texts(
  {
    transaction: 'A majority of the nodes shows that the transaction is finalized.',
    state: 'Accounts that only this package creates exist in finalized state.',
  },
  {
    fr: {
      transaction: 'Une majorité des nœuds montre que la transaction est finalisée.',
      state: 'Des comptes que seul ce paquet crée existent dans l’état finalisé.',
    },
  },
);
export const CHECK_REASONS = texts(
  {
    not_approved: 'An address is not listed, so it is not approved.',
    revoked: 'The approval of an address was revoked.',
    sanctioned: 'A screening step matched an address.',
    unknown_application: 'The package names an application that does not exist.',
  },
  {
    fr: {
      not_approved: 'Une adresse n’est pas dans la liste, donc elle n’est pas approuvée.',
      revoked: 'L’approbation d’une adresse a été révoquée.',
      sanctioned: 'Une étape de filtrage a reconnu une adresse.',
      unknown_application: 'Le paquet nomme une application qui n’existe pas.',
    },
  },
);
/** What stands in evidence as one value. */
export const FACT_NAMES = texts(
  {
    signature: 'Transaction',
    blockhash: 'Blockhash',
    blockhashOf: 'Node that returned the blockhash',
    contextSlot: 'As of slot',
    slot: 'Slot',
    lastValidBlockHeight: 'Last valid block height',
    computeUnits: 'Compute units',
    maxUnits: 'Maximum compute units of the pool',
    microLamportsPerUnit: 'Price per compute unit, in micro-lamports',
    feeLamports: 'Fee, in lamports',
    maxFeeLamports: 'Maximum fee of the pool, in lamports',
    costLamports: 'Cost including the new accounts, in lamports',
    maxCostLamports: 'Maximum cost of the pool, in lamports',
    budget: 'Exhausted budget',
    lamportsPerDay: 'Daily budget, in lamports',
    spender: 'Transaction that spent the nullifier',
    node: 'Node that was asked first',
    payer: 'Payer',
  },
  {
    fr: {
      signature: 'Transaction',
      blockhash: 'Blockhash',
      blockhashOf: 'Nœud qui a renvoyé le blockhash',
      contextSlot: 'Au slot',
      slot: 'Slot',
      lastValidBlockHeight: 'Dernière hauteur de bloc valide',
      computeUnits: 'Unités de calcul',
      maxUnits: 'Unités de calcul au plus, selon le pool',
      microLamportsPerUnit: 'Prix par unité de calcul, en micro-lamports',
      feeLamports: 'Frais, en lamports',
      maxFeeLamports: 'Frais au plus, selon le pool, en lamports',
      costLamports: 'Coût avec les nouveaux comptes, en lamports',
      maxCostLamports: 'Coût au plus, selon le pool, en lamports',
      budget: 'Budget épuisé',
      lamportsPerDay: 'Budget quotidien, en lamports',
      spender: 'Transaction qui a dépensé le nullifier',
      node: 'Nœud interrogé en premier',
      payer: 'Payeur',
    },
  },
);
/** What stands in evidence as one answer of each node. */
export const GROUP_TITLES = texts(
  {
    nullifiers: 'Are the nullifiers of the package spent?',
    confirmed: 'Are the nullifiers spent in confirmed state, which is not final?',
    simulations: 'Would the ledger execute the transaction?',
    nodes: 'Did the nodes accept the transaction?',
    sent: 'Did the nodes accept the transaction?',
    providers: 'What each node reports about finalized state',
    terms: 'What would the transaction cost?',
    leftOut: 'Nodes that were not counted',
    heights: 'Block heights that were counted',
  },
  {
    fr: {
      nullifiers: 'Les nullifiers du paquet sont-ils dépensés ?',
      confirmed: 'Les nullifiers sont-ils dépensés dans l’état confirmé, qui n’est pas final ?',
      simulations: 'Le registre exécuterait-il la transaction ?',
      nodes: 'Les nœuds ont-ils accepté la transaction ?',
      sent: 'Les nœuds ont-ils accepté la transaction ?',
      providers: 'Ce que chaque nœud indique sur l’état finalisé',
      terms: 'Combien coûterait la transaction ?',
      leftOut: 'Nœuds qui n’ont pas été comptés',
      heights: 'Hauteurs de bloc qui ont été comptées',
    },
  },
);
/** Why a node was not believed. */
export const LIES = texts(
  {
    impossible_slot: 'It reports a slot that the chain cannot have reached.',
    impossible_height: 'It reports a block height that the chain cannot have reached.',
    contradicted: 'A majority of the nodes contradicts it.',
  },
  {
    fr: {
      impossible_slot: 'Il indique un slot que la chaîne ne peut pas avoir atteint.',
      impossible_height: 'Il indique une hauteur de bloc que la chaîne ne peut pas avoir atteinte.',
      contradicted: 'Une majorité des nœuds le contredit.',
    },
  },
);
export const ERRORS: Readonly<Record<Exclude<LedgerErrorKind, 'rpc'>, string>> = texts(
  {
    unreachable: 'It could not be reached.',
    timeout: 'It did not answer in time.',
    rate_limited: 'It refused the request because of its rate limit.',
    nonsense: 'Its answer is not valid.',
  },
  {
    fr: {
      unreachable: 'Il n’a pas pu être joint.',
      timeout: 'Il n’a pas répondu à temps.',
      rate_limited: 'Il a refusé la requête : sa limite de débit est atteinte.',
      nonsense: 'Sa réponse n’est pas valide.',
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
    height: 'its block height',
    statuses: 'the transaction',
    transaction: 'the outcome of the transaction',
    nullifiers: 'the nullifiers of the package',
    spender: 'the transaction that spent the nullifiers',
    outputs: 'the accounts that the package creates',
    blockhashes: 'the blockhash',
  },
  {
    fr: {
      height: 'sa hauteur de bloc',
      statuses: 'la transaction',
      transaction: 'l’issue de la transaction',
      nullifiers: 'les nullifiers du paquet',
      spender: 'la transaction qui a dépensé les nullifiers',
      outputs: 'les comptes que le paquet crée',
      blockhashes: 'le blockhash',
    },
  },
);
export const EXCESSES = texts(
  { resource_fee_exceeded: 'the fee.', resource_limit_exceeded: 'the total cost.' },
  { fr: { resource_fee_exceeded: 'les frais.', resource_limit_exceeded: 'le coût total.' } },
);

export const EVIDENCE_WORDS = texts(
  {
    checks: 'Address checks',
    noChecks: 'no address had to be checked',
    valid: 'The package is valid.',
    dead: (height: string, slot: string) =>
      `The transactions of this relay are valid up to block height ${height}. Finalized state at slot ${slot} is past that height and contains none of them.`,
    refusedWith: (code: string, failure: string) => `It answered with the error ${code}: ${failure}`,
    failedWith: (code: string) => `It answered with the error ${code}.`,
    unasked: (question: string) => `It did not answer the question about ${question}.`,
    unfinished: 'It was slow, and the answers of the other nodes were enough.',
    silent: 'It gave no usable answer.',
    took: 'It accepted the transaction.',
    spent: (spent: number, total: number, slot: string) =>
      total === 1
        ? `The nullifier is ${spent === 0 ? 'not spent' : 'spent'} as of slot ${slot}.`
        : `${spent === 0 ? 'None' : countText(spent)} of ${countText(total)} nullifiers ${spent < 2 ? 'is' : 'are'} spent as of slot ${slot}.`,
    ofAttempt: (signature: string, sentence: string) => `${signature}: ${sentence}`,
    executes: (units: string, slot: string) =>
      `As of slot ${slot}, it would execute the transaction with ${units} compute units.`,
    debit: (lamports: string) => `The transaction would debit ${lamports} lamports in addition to the fee.`,
    refuses: (failure: string, slot: string) =>
      `As of slot ${slot}, it would refuse the transaction: ${failure}`,
    height: (slot: string, height: string) =>
      `Its finalized state is at slot ${slot} and block height ${height}.`,
    unknown: (signature: string, slot: string) =>
      `It does not know transaction ${signature} as of slot ${slot}.`,
    known: (signature: string, commitment: string, slot: string) =>
      `It knows transaction ${signature}, ${commitment} at slot ${slot}.`,
    knownFailed: (signature: string, failure: string) =>
      `It reports that transaction ${signature} failed: ${failure}`,
    landed: (slot: string) => `It shows that the transaction succeeded, finalized at slot ${slot}.`,
    failed: (slot: string, failure: string) =>
      `It shows that the transaction failed, finalized at slot ${slot}: ${failure}`,
    fee: (fee: string) => `The fee was ${fee} lamports.`,
    blockhashValid: (slot: string) => `The blockhash is still valid as of slot ${slot}.`,
    blockhashExpired: (slot: string) => `The blockhash has expired as of slot ${slot}.`,
    spentBy: (signature: string) => `Transaction ${signature} spent the nullifier.`,
    noSpender: 'It does not show which transaction spent the nullifier.',
    outputs: 'The accounts that only this package creates exist.',
    noOutputs: 'Not all accounts that this package creates exist.',
    cost: (cost: string, fee: string) => `${cost} lamports, of which the fee is ${fee}.`,
    dear: (bound: string) => `The pool does not allow this much: ${bound}`,
  },
  {
    fr: {
      checks: 'Contrôles d’adresses',
      noChecks: 'aucune adresse n’était à contrôler',
      valid: 'Le paquet est valide.',
      dead: (height: string, slot: string) =>
        `Les transactions de ce relais sont valides jusqu’à la hauteur de bloc ${height}. Au slot ${slot}, l’état finalisé a dépassé cette hauteur et n’en contient aucune.`,
      refusedWith: (code: string, failure: string) => `Il a répondu par l’erreur ${code} : ${failure}`,
      failedWith: (code: string) => `Il a répondu par l’erreur ${code}.`,
      unasked: (question: string) => `Il n’a pas répondu à la question sur ${question}.`,
      unfinished: 'Il était lent, et les réponses des autres nœuds ont suffi.',
      silent: 'Il n’a donné aucune réponse utilisable.',
      took: 'Il a accepté la transaction.',
      spent: (spent: number, total: number, slot: string) =>
        total === 1
          ? `Le nullifier ${spent === 0 ? 'n’est pas' : 'est'} dépensé au slot ${slot}.`
          : spent === 0
            ? `Aucun des ${countText(total)} nullifiers n’est dépensé au slot ${slot}.`
            : `${countText(spent)} des ${countText(total)} nullifiers ${spent === 1 ? 'est dépensé' : 'sont dépensés'} au slot ${slot}.`,
      ofAttempt: (signature: string, sentence: string) => `${signature} : ${sentence}`,
      executes: (units: string, slot: string) =>
        `Au slot ${slot}, il exécuterait la transaction avec ${units} unités de calcul.`,
      debit: (lamports: string) => `La transaction prélèverait ${lamports} lamports en plus des frais.`,
      refuses: (failure: string, slot: string) =>
        `Au slot ${slot}, il refuserait la transaction : ${failure}`,
      height: (slot: string, height: string) =>
        `Son état finalisé est au slot ${slot} et à la hauteur de bloc ${height}.`,
      unknown: (signature: string, slot: string) =>
        `Il ne connaît pas la transaction ${signature} au slot ${slot}.`,
      known: (signature: string, commitment: string, slot: string) =>
        `Il connaît la transaction ${signature}, ${commitment} au slot ${slot}.`,
      knownFailed: (signature: string, failure: string) =>
        `Il indique que la transaction ${signature} a échoué : ${failure}`,
      landed: (slot: string) => `Il montre que la transaction a réussi, finalisée au slot ${slot}.`,
      failed: (slot: string, failure: string) =>
        `Il montre que la transaction a échoué, finalisée au slot ${slot} : ${failure}`,
      fee: (fee: string) => `Les frais étaient de ${fee} lamports.`,
      blockhashValid: (slot: string) => `Le blockhash est encore valide au slot ${slot}.`,
      blockhashExpired: (slot: string) => `Le blockhash n’est plus valide au slot ${slot}.`,
      spentBy: (signature: string) => `La transaction ${signature} a dépensé le nullifier.`,
      noSpender: 'Il ne montre pas quelle transaction a dépensé le nullifier.',
      outputs: 'Les comptes que seul ce paquet crée existent.',
      noOutputs: 'Les comptes que ce paquet crée n’existent pas tous.',
      cost: (cost: string, fee: string) => `${cost} lamports, dont ${fee} de frais.`,
      dear: (bound: string) => `Le pool ne permet pas autant : ${bound}`,
    },
  },
);
