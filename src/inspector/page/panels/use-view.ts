/** The chosen actor as it was after the row that is shown. */
import type { ViewDetail } from '../../wire/routes.ts'
import type { RunSession } from '../connection/run-session.ts'
import { usePage } from '../shared/page-context.ts'
import { useLoaded, type Loaded } from '../shared/use-loaded.ts'

export function useView({ runId, model: { value: model }, isPassing }: RunSession): Loaded<ViewDetail> {
  const { api } = usePage()
  const row = model.cursor.value
  const path = model.path.value
  const key = row < 0 || isPassing.value ? undefined : `${row} ${path}`
  return useLoaded(key, (signal) => api.view(runId, row, path, signal))
}
