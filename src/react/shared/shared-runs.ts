/** The runs that components of this page show, by their sources. */
import { ConfigurationError, type RunSignal } from '../../index.ts'
import type { UseRunOptions, RunSource } from '../source/run-source.ts'
import { idle, SharedRun, type RunSnapshot } from './shared-run.ts'

const open = new Map<object | string, Map<string, SharedRun>>()

function find({ key: [of, id] }: RunSource): SharedRun | undefined {
  return open.get(of)?.get(id)
}

/** The run is there until no component shows it: another user of the page does not find it. */
function join(source: RunSource): SharedRun {
  const known = find(source)
  if (known !== undefined) return known
  const [of, id] = source.key
  const shared = new SharedRun(source, () => {
    const runs = open.get(of)
    runs?.delete(id)
    if (runs?.size === 0) open.delete(of)
  })
  const runs = open.get(of) ?? new Map<string, SharedRun>()
  open.set(of, runs.set(id, shared))
  return shared
}

/** The place of one component: until it is mounted it holds nothing, so that rendering alone, as on a server, opens nothing. */
export class RunPlace {
  readonly #source: RunSource | undefined
  #shared: SharedRun | undefined
  #options: UseRunOptions = {}

  constructor(source: RunSource | undefined) {
    this.#source = source
  }

  set options(options: UseRunOptions) {
    this.#options = options
    if (this.#shared !== undefined) this.#shared.options = options
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    if (this.#source === undefined) return () => undefined
    this.#shared = join(this.#source)
    this.#shared.options = this.#options
    return this.#shared.subscribe(listener)
  }

  readonly snapshot = (): RunSnapshot => {
    const shared = this.#shared ?? (this.#source === undefined ? undefined : find(this.#source))
    return shared?.snapshot ?? idle
  }

  async send(signal: RunSignal): Promise<void> {
    if (this.#source === undefined)
      throw new ConfigurationError('useRun: there is no run to answer; it was given none.')
    await this.#source.send(signal, this.#options)
  }
}
