import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  actorOf,
  findApplicationById,
  type Principal,
  type RequestContext,
  requirePrincipal,
  requireUnchanged,
} from '../../access/index.js';
import { recordActivity } from '../../activity-log/index.js';
import { columnsOf, type Foundation, query } from '../../../platform/database/index.js';
import { Lanes, ownTurn } from '../../../platform/jobs/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { VisibleDisclosure } from '../disclosure-access.js';
import { DisclosureEntity } from '../disclosure.entity.js';
import type { DisclosureField } from '../disclosure-scope.js';
import type { DisclosureFormat } from '../policies/disclosure-rules.js';
import { serializeInSlices } from './long-result.js';
import { openSealedResult, type ResultSecrets } from './sealed-result.js';

/** A result that has not been opened yet. */
export interface ResultHandle {
  readonly disclosure: VisibleDisclosure;
  readonly receiptId: Id<'rcp'>;
  readonly generatedAt: Date;
  readonly format: DisclosureFormat;
  /** When it was deleted at the end of its retention. A response that already opened the result keeps the value from then. */
  readonly deletedAt: () => Promise<Date | null>;
  /** Opens the result once for this answer. Null if it was deleted. */
  readonly open: () => Promise<OpenedResult | null>;
}

interface Opening {
  readonly result: OpenedResult | null;
  readonly deletedAt: Date | null;
}

export interface OpenedResult extends ResultSecrets {
  /** The records as text, made once for this answer. */
  readonly content: () => Promise<string>;
}

/** The caller who reads a result. */
type ResultCaller = Pick<RequestContext, 'principal' | 'callerNow'>;

/**
 * Opens the results of disclosures. Only one result of an organization is opened at a time, so that its readers delay neither
 * other requests nor the readers of another organization.
 */
export class ResultReader {
  readonly #turns = new Lanes(() => 1);

  constructor(private readonly foundation: Foundation) {}

  /** The result for a caller who may see it. Null if there is none. Opening it is logged as `disclosure.read`. */
  result(caller: ResultCaller, disclosure: VisibleDisclosure): ResultHandle | null {
    const { status, resultVisible, receiptId, resolvedAt, format, resultDeletedAt, organizationId } =
      disclosure;
    if (status !== 'available' || !resultVisible || receiptId === null || resolvedAt === null) return null;
    let opening: Promise<Opening> | undefined;
    const open = () => (opening ??= this.#inTurn(organizationId, () => this.#open(caller, disclosure)));
    return {
      ...{ disclosure, receiptId, generatedAt: resolvedAt, format },
      open: async () => (await open()).result,
      async deletedAt() {
        // All members of an answer begin in the same turn, so the next turn knows whether one of them opens the result.
        await nextTurn();
        return opening ? (await opening).deletedAt : resultDeletedAt;
      },
    };
  }

  async #open(caller: ResultCaller, disclosure: VisibleDisclosure): Promise<Opening> {
    const principal = requirePrincipal(caller.principal);
    // The reader may have waited for the result and for other readers.
    await requireUnchanged(caller);
    const { database, sealer } = this.foundation;
    const { id, organizationId, format, scope } = disclosure;
    const [row] = await database.rows(
      query
        .selectFrom('disclosures')
        .select(columnsOf(DisclosureEntity, ['sealedResult', 'resultDeletedAt']))
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .where('status', '=', 'available'),
    );
    if (!row) throw new Error('An available disclosure has no result.');
    const { sealedResult, resultDeletedAt: deletedAt } = row;
    if (!sealedResult) return { result: null, deletedAt };
    // Committed before anything is decrypted, so that there is no read without its log entry.
    await this.#recordReading(principal, disclosure);
    const secrets = await openSealedResult(sealer, id, sealedResult);
    const fields = scope['fields'] as unknown as readonly DisclosureField[];
    let content: Promise<string> | undefined;
    return {
      result: {
        ...secrets,
        content: () => (content ??= serializeInSlices(format, secrets.records, fields)),
      },
      deletedAt,
    };
  }

  async #recordReading(principal: Principal, disclosure: VisibleDisclosure): Promise<void> {
    const { database, clock } = this.foundation;
    const { id, organizationId, assetId, applicationId, receiptId } = disclosure;
    await database.transaction(async (transaction) => {
      await recordActivity(transaction, {
        organizationId,
        eventType: 'disclosure.read',
        actor: actorOf(principal),
        object: { type: 'disclosure', id, asset_id: assetId },
        details: { receipt_id: receiptId },
        application: await findApplicationById(transaction, organizationId, applicationId),
        at: clock.now(),
      });
    });
  }

  /** Runs `work` after that of earlier readers, and after one turn of the event loop, in which their answers are written. */
  #inTurn<Result>(organizationId: Id<'org'>, work: () => Promise<Result>): Promise<Result> {
    return this.#turns.run(organizationId, async () => {
      await ownTurn();
      return work();
    });
  }
}
