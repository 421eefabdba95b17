import { createHash } from 'node:crypto';
import { createCheckDesk, type CheckDesk } from '../../../src/domain/checks/index.js';
import type { ScreeningOutcome, ScreeningStep } from '../../../src/domain/checks/check-rules.js';
import type { ScreeningProvider } from '../../../src/domain/checks/screening/screening-provider.js';
import type { Foundation } from '../../../src/platform/database/index.js';
import type { Clock } from '../../../src/platform/kernel/clock.js';

export interface SanctionsXmlOptions {
  readonly issued?: readonly [year: number, month: number, day: number];
  /** By feature type: the addresses of one party each. */
  readonly addresses?: Readonly<Record<string, readonly string[]>>;
}

/** A small file in the form of OFAC's SDN_ADVANCED.XML. */
export function sanctionsXml({
  issued: [year, month, day] = [2026, 11, 3],
  addresses = { 'Digital Currency Address - SOL': [] },
}: SanctionsXmlOptions = {}): string {
  const types = Object.keys(addresses);
  const declared = types.map(
    (name, index) => `<FeatureType ID="${344 + index}" FeatureTypeGroupID="1">${name}</FeatureType>`,
  );
  const parties = types.flatMap((name, index) =>
    addresses[name]!.map(
      (address) => `
    <DistinctParty FixedRef="${address.length}"><Comment />
      <Profile ID="1" PartySubTypeID="4">
        <Identity ID="1" FixedRef="1" Primary="true" False="false"><NamePartGroups /></Identity>
        <Feature ID="1" FeatureTypeID="8"><FeatureVersion ID="1" ReliabilityID="1"><Comment />
          <DatePeriod CalendarTypeID="1"><Start><From><Year>1970</Year><Month>1</Month><Day>1</Day></From></Start></DatePeriod>
        </FeatureVersion></Feature>
        <Feature ID="2" FeatureTypeID="${344 + index}"><FeatureVersion ID="2" ReliabilityID="1560"><Comment />
          <VersionDetail DetailTypeID="1432">${address}</VersionDetail></FeatureVersion>
          <IdentityReference IdentityID="1" IdentityFeatureLinkTypeID="1" /></Feature>
      </Profile>
    </DistinctParty>`,
    ),
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<Sanctions xmlns="http://www.un.org/sanctions/1.0" Version="${year}.${month}.${day}">
  <DateOfIssue CalendarTypeID="1"><Year>${year}</Year><Month>${month}</Month><Day>${day}</Day></DateOfIssue>
  <ReferenceValueSets>
    <DetailTypeValues><DetailType ID="1432">Text</DetailType></DetailTypeValues>
    <FeatureTypeValues>
      <FeatureType ID="8" FeatureTypeGroupID="1">Birthdate</FeatureType>
      ${declared.join('\n      ')}
    </FeatureTypeValues>
  </ReferenceValueSets>
  <DistinctParties>${parties.join('')}
  </DistinctParties>
</Sanctions>
`;
}

export const sha256Hex = (text: string) => createHash('sha256').update(text).digest('hex');

/** A clock that stands still until it is moved. */
export function standingClock(
  at = '2026-11-21T12:00:00.000Z',
): Clock & { advance(durationMs: number): void } {
  let now = Date.parse(at);
  return {
    now: () => new Date(now),
    advance: (durationMs) => {
      now += durationMs;
    },
  };
}

export interface ScriptedProvider extends ScreeningProvider {
  asked: number;
  /** Its answer from now on. An error is thrown. */
  answers: ScreeningOutcome | Error;
}

export function scriptedProvider(
  step: ScreeningStep,
  answers: ScreeningOutcome | Error = 'clear',
): ScriptedProvider {
  return {
    step,
    answers,
    asked: 0,
    screen() {
      this.asked += 1;
      if (this.answers instanceof Error) return Promise.reject(this.answers);
      const listVersion = step === 'sanctions_list' ? { listVersion: '2026-11-03/scripted' } : {};
      return Promise.resolve({ outcome: this.answers, ...listVersion });
    },
  };
}

/** A desk with these screening steps. */
export function deskWith(
  foundation: Foundation,
  providers: readonly ScreeningProvider[] = [],
  perClient = 600,
): CheckDesk {
  return { ...createCheckDesk(foundation, { perClient }), providers };
}
