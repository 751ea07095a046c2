/** Opens the dialog of a fork. */
import type { Row } from '../../wire/rows.ts'
import { doneAfter } from './done-after.ts'
import { openDialog } from './open-dialog.ts'

/** `withPatch`: it begins with the editor of the outcome. */
export function askFork(runId: string, rows: readonly Row[], row: Row, withPatch = false): void {
  openDialog.value = { type: 'fork', runId, row, withPatch, done: doneAfter(rows, row.row) }
}
