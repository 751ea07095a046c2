/** The chosen actor as it was after the row that is shown. */
import type { ViewDetail } from '../../wire/routes.ts'
import type { RunModel } from '../model/run-model.ts'
import { usePage } from '../shared/page-context.ts'
import { useLoaded, type Loaded } from '../shared/use-loaded.ts'

export function useView(runId: string, model: RunModel): Loaded<ViewDetail> {
  const { api } = usePage()
  const row = model.cursor.value
  const path = model.path.value
  return useLoaded(row < 0 ? undefined : `${row} ${path}`, (signal) => api.view(runId, row, path, signal))
}
