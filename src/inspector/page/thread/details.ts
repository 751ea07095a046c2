/** The content of rows, loaded in pieces as they are shown, and kept while the run is shown. */
import { signal, type Signal } from '@preact/signals'
import type { RowDetail } from '../../wire/routes.ts'
import type { Api } from '../connection/api.ts'

/** `null`: it is withheld. `undefined`: it is not there yet. */
export type Loaded = RowDetail | null | undefined

/** The rows of a piece. */
const size = 50

interface Piece {
  readonly rows: Signal<readonly (RowDetail | null)[]>
  readonly error: Signal<unknown>
  /** The number of rows that were asked for. */
  asked: number
}

export class Details {
  readonly #api: Api
  readonly #runId: string
  readonly #pieces = new Map<number, Piece>()

  constructor(api: Api, runId: string) {
    this.#api = api
    this.#runId = runId
  }

  /** The content of a row; it is asked for where it is not here. `length`: the number of rows of the run. */
  at(row: number, length: number): { readonly detail: Loaded; readonly error: unknown } {
    const first = row - (row % size)
    const piece = this.#pieceAt(first)
    const wanted = Math.min(size, length - first)
    if (piece.asked < wanted && row - first >= piece.rows.peek().length) void this.#load(first, wanted, piece)
    return { detail: piece.rows.value[row - first], error: piece.error.value }
  }

  #pieceAt(first: number): Piece {
    const known = this.#pieces.get(first)
    if (known !== undefined) return known
    const piece = {
      rows: signal<readonly (RowDetail | null)[]>([]),
      error: signal<unknown>(undefined),
      asked: 0,
    }
    this.#pieces.set(first, piece)
    return piece
  }

  async #load(first: number, wanted: number, piece: Piece): Promise<void> {
    piece.asked = wanted
    try {
      const rows = await this.#api.details(this.#runId, first, first + wanted)
      if (rows.length >= piece.rows.peek().length) piece.rows.value = rows
      piece.error.value = undefined
    } catch (error) {
      piece.error.value = error
      piece.asked = piece.rows.peek().length // asked again with the next entry
    }
  }
}
