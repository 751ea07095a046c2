/** The tasks as requests see them. */
import type { TaskStore } from '@a2a-js/sdk/server'

/**
 * A request writes no task: the SDK stores each event again when its reader takes it, and a slow reader would bring an old
 * state back. What happens to a task is stored where it happens, by `TaskEvents`.
 */
export function readTasks(tasks: TaskStore): TaskStore {
  return {
    load: (taskId, context) => tasks.load(taskId, context),
    list: (params, context) => tasks.list(params, context),
    save: async () => undefined,
  }
}
