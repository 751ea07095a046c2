/** Writes to stored tasks: one after another for each task, since each reads the task that it changes. */
export class TaskWrites {
  readonly #last = new Map<string, Promise<void>>()

  async inTurn(taskId: string, write: () => Promise<void>): Promise<void> {
    const turn = (this.#last.get(taskId) ?? Promise.resolve()).then(write, write)
    this.#last.set(taskId, turn)
    try {
      await turn
    } finally {
      if (this.#last.get(taskId) === turn) this.#last.delete(taskId)
    }
  }
}
