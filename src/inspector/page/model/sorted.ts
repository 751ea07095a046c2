/** Rows, or other numbers, in ascending order, looked up by binary search. */

/** How many of them are at most `row`. */
export function countUntil(rows: readonly number[], row: number): number {
  let low = 0
  for (let high = rows.length; low < high;) {
    const middle = (low + high) >>> 1
    if ((rows[middle] ?? Infinity) <= row) low = middle + 1
    else high = middle
  }
  return low
}

/** The nearest one behind `row` (`by`: 1) or before it (`by`: -1). */
export function nearest(rows: readonly number[], row: number, by: 1 | -1): number | undefined {
  return by === 1 ? rows[countUntil(rows, row)] : rows[countUntil(rows, row - 1) - 1]
}

/** Adds a row that is not less than the last one, once. */
export function addRow(rows: number[], row: number): void {
  if (rows.at(-1) !== row) rows.push(row)
}
