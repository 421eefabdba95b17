import { expect, it } from '@jest/globals';
import { alarms, forgetAlarms, raiseAlarm } from '../../../portal/src/verification/raised-alarms.ts';

it('an alarm of one organization is not shown to another, and ends with the session', () => {
  const alarm = { because: 'The log does not continue.', before: 1, now: 2 };
  let raised = 0;
  const leave = alarms.subscribe(() => (raised += 1));
  raiseAlarm('org_1', alarm);
  raiseAlarm('org_1', { ...alarm, because: 'A later one' });
  expect(alarms.of('org_1')).toBe(alarm);
  expect(alarms.of('org_2')).toBeUndefined();
  forgetAlarms();
  expect(alarms.of('org_1')).toBeUndefined();
  expect(raised).toBe(2);
  leave();
});
