import { expect, it } from '@jest/globals';
import { destination, placeWithin } from '../../../portal/src/design/lists/grid-place.ts';

it('the Tab stop of a grid stays in it when a filter leaves fewer rows', () => {
  const far = { row: 100, column: 7 };
  expect(placeWithin(far, 200, 8)).toEqual(far);
  expect(placeWithin(far, 5, 6)).toEqual({ row: 4, column: 5 });
  expect(placeWithin(far, 0, 6)).toEqual({ row: 0, column: 5 });
});

it('the arrow keys of a grid never leave the grid', () => {
  const grid = { rows: 5, columns: 6, page: 10 };
  const press = (key: string, ctrlKey = false) => destination({ key, ctrlKey }, { row: 2, column: 3 }, grid);
  expect(press('PageDown')).toEqual({ row: 4, column: 3 });
  expect(press('PageUp')).toEqual({ row: 0, column: 3 });
  expect(press('End', true)).toEqual({ row: 4, column: 5 });
  expect(press('Tab')).toBeUndefined();
});
