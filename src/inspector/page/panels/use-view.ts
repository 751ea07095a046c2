/** The chosen actor as it was after the row that is shown. */
import type { ViewDetail } from '../../wire/routes.ts'
import type { RunSession } from '../connection/run-session.ts'
import { usePage } from '../shared/page-context.ts'
import { useLoaded, type Loaded } from '../shared/use-loaded.ts'

export function useView(session: RunSession): Loaded<ViewDetail> {
  const { api } = usePage()
  const model = session.model.value
  const row = model.cursor.value
  const path = model.path.value
  return useLoaded(row < 0 ? undefined : `${row} ${path}`, (signal) =>
    api.view(session.runId, row, path, signal),
  )
}
