/** The oldest open questions of all runs, read again while the page is visible. */
import type { OpenQuestion } from '../../../index.ts'
import { batch, signal } from '@preact/signals'
import type { Api } from '../connection/api.ts'
import { repeat, type Repeating } from '../connection/repeat.ts'
import type { ListFailure } from './run-list.ts'

const pageSize = 100
const pollEach = 1500

export class QuestionList {
  readonly questions = signal<readonly OpenQuestion[]>([])
  readonly isLoaded = signal(false)
  readonly hasMore = signal(false)
  readonly failure = signal<ListFailure | undefined>(undefined)
  readonly #api: Api
  readonly #polling: Repeating
  readonly #stopListening: () => void
  #text = ''

  constructor(api: Api) {
    this.#api = api
    this.#polling = repeat(
      pollEach,
      () => this.#poll(),
      (error, retryIn) => {
        this.failure.value = { error, retryIn }
      },
    )
    this.#stopListening = api.token.subscribe(() => this.#polling.now())
  }

  close(): void {
    this.#stopListening()
    this.#polling.stop()
  }

  retry(): void {
    this.#polling.now()
  }

  async #poll(): Promise<void> {
    const { items, next } = await this.#api.awaiting({ limit: pageSize })
    const text = JSON.stringify(items)
    batch(() => {
      if (text !== this.#text) this.questions.value = items
      this.#text = text
      this.hasMore.value = next !== undefined
      this.isLoaded.value = true
      this.failure.value = undefined
    })
  }
}
