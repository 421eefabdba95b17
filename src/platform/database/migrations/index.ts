import { Migration0001Foundation } from './0001-foundation.js';
import { Migration0002ActivityLog } from './0002-activity-log.js';
import { Migration0003Cases } from './0003-cases.js';
import { Migration0004Reports } from './0004-reports.js';
import { Migration0005SecurityEvents } from './0005-security-events.js';
import { Migration0006Checks } from './0006-checks.js';
import { Migration0007Relays } from './0007-relays.js';
import { Migration0008Accounts } from './0008-accounts.js';
import { Migration0009RelayEvidence } from './0009-relay-evidence.js';
import { Migration0010VerifiedMints } from './0010-verified-mints.js';
import { Migration0011Invitations } from './0011-invitations.js';
import { Migration0011RelayJunk } from './0011-relay-junk.js';
import { Migration0012DisclosureAttempts } from './0012-disclosure-attempts.js';
import { Migration0013PrivateDerivatives } from './0013-private-derivatives.js';
import { Migration0014SecondPerson } from './0014-second-person.js';
import { Migration0015DisclosureChanges } from './0015-disclosure-changes.js';
import { Migration0016SessionClients } from './0016-session-clients.js';
import { Migration0017CaseChanges } from './0017-case-changes.js';
import { Migration0018RelayLooks } from './0018-relay-looks.js';
import { Migration0019RelayBudgets } from './0019-relay-budgets.js';
import { Migration0020SecondFactors } from './0020-second-factors.js';
import { Migration0021RowSecurity } from './0021-row-security.js';
import { Migration0022Growth } from './0022-growth.js';
import { Migration0023FunctionsOfTheOwner } from './0023-functions-of-the-owner.js';
import { Migration0024EnvelopeKeys } from './0024-envelope-keys.js';
import { Migration0025PoliciesOfParts } from './0025-policies-of-parts.js';
import { Migration0026GenerationTypes } from './0026-generation-types.js';
import { Migration0027ListedChecks } from './0027-listed-checks.js';
import { Migration0028AuditorKeyCoverage } from './0028-auditor-key-coverage.js';
import { Migration0030OrganizationsOfTransactions } from './0030-organizations-of-transactions.js';
import { Migration0031SigningKeyEpochs } from './0031-signing-key-epochs.js';
import { Migration0033Filters } from './0033-filters.js';
import { Migration0034SessionClients } from './0034-session-clients.js';
import { Migration0035ImportedAuditorKeys } from './0035-imported-auditor-keys.js';
import { Migration0036AuditorKeyExport } from './0036-auditor-key-export.js';

/**
 * In order of their numbers; a database that lacks one of them gets it, also when it has later ones. A released migration is
 * never edited or renamed: a new one follows it.
 */
export const migrations = [
  { name: '0001-foundation', class: Migration0001Foundation },
  { name: '0002-activity-log', class: Migration0002ActivityLog },
  { name: '0003-cases', class: Migration0003Cases },
  { name: '0004-reports', class: Migration0004Reports },
  { name: '0005-security-events', class: Migration0005SecurityEvents },
  { name: '0006-checks', class: Migration0006Checks },
  { name: '0007-relays', class: Migration0007Relays },
  { name: '0008-accounts', class: Migration0008Accounts },
  { name: '0009-relay-evidence', class: Migration0009RelayEvidence },
  { name: '0010-verified-mints', class: Migration0010VerifiedMints },
  { name: '0011-invitations', class: Migration0011Invitations },
  { name: '0011-relay-junk', class: Migration0011RelayJunk },
  { name: '0012-disclosure-attempts', class: Migration0012DisclosureAttempts },
  { name: '0013-private-derivatives', class: Migration0013PrivateDerivatives },
  { name: '0014-second-person', class: Migration0014SecondPerson },
  { name: '0015-disclosure-changes', class: Migration0015DisclosureChanges },
  { name: '0016-session-clients', class: Migration0016SessionClients },
  { name: '0017-case-changes', class: Migration0017CaseChanges },
  { name: '0018-relay-looks', class: Migration0018RelayLooks },
  { name: '0019-relay-budgets', class: Migration0019RelayBudgets },
  { name: '0020-second-factors', class: Migration0020SecondFactors },
  { name: '0021-row-security', class: Migration0021RowSecurity },
  { name: '0022-growth', class: Migration0022Growth },
  { name: '0023-functions-of-the-owner', class: Migration0023FunctionsOfTheOwner },
  { name: '0024-envelope-keys', class: Migration0024EnvelopeKeys },
  { name: '0025-policies-of-parts', class: Migration0025PoliciesOfParts },
  { name: '0026-generation-types', class: Migration0026GenerationTypes },
  { name: '0027-listed-checks', class: Migration0027ListedChecks },
  { name: '0028-auditor-key-coverage', class: Migration0028AuditorKeyCoverage },
  { name: '0030-organizations-of-transactions', class: Migration0030OrganizationsOfTransactions },
  { name: '0031-signing-key-epochs', class: Migration0031SigningKeyEpochs },
  { name: '0033-filters', class: Migration0033Filters },
  { name: '0034-session-clients', class: Migration0034SessionClients },
  { name: '0035-imported-auditor-keys', class: Migration0035ImportedAuditorKeys },
  { name: '0036-auditor-key-export', class: Migration0036AuditorKeyExport },
];
