/** Content as a store has it: JSON that a codec has sealed for its place, in time. */
import { StoreError, type StoreErrorCode } from '../index.ts'
import { base64Of, bytesOf, startTimer, toErrorData } from '../kit/index.ts'
import { isLater, rescued, after, type Awaitable } from './awaitable.ts'
import type { SealCodec } from './codec.ts'

/** The name of the key for what belongs to no resource. */
export type KeyOf = (resourceId: string | undefined) => Awaitable<string>

export interface SealsOptions {
  readonly codec: SealCodec
  readonly keyOf: KeyOf
  /** Milliseconds that a call of the codec, or of `keyOf`, has. */
  readonly timeout: number
  /** Tells the names of this store from those of another secret. */
  readonly fingerprint: string
}

/** Where content stands: its kind, and the ids that it is found by. */
export type Place = readonly [kind: string, ...ids: (string | number)[]]

const encoder = /* @__PURE__ */ new TextEncoder()
const decoder = /* @__PURE__ */ new TextDecoder()

export class Seals {
  readonly #options: SealsOptions

  constructor(options: SealsOptions) {
    this.#options = options
  }

  /** Seals a value of JSON, as a text. */
  seal(value: unknown, resourceId: string | undefined, place: Place): Awaitable<string> {
    return this.sealText(JSON.stringify(value), resourceId, place)
  }

  /** The same for what is JSON already. */
  sealText(json: string, resourceId: string | undefined, place: Place): Awaitable<string> {
    return after(this.sealBytes(encoder.encode(json), resourceId, place), base64Of)
  }

  sealBytes(bytes: Uint8Array, resourceId: string | undefined, place: Place): Awaitable<Uint8Array> {
    const { codec, keyOf } = this.#options
    const key = this.#asked('keyOf', place, () => keyOf(resourceId))
    return after(key, (name) =>
      this.#asked('The codec', place, () => {
        assertText(name)
        return after(codec.seal(bytes, { key: name, place: this.#bytesOf(place) }), assertBytes)
      }),
    )
  }

  /** The value of a sealed text. */
  open(sealed: unknown, place: Place): Awaitable<unknown> {
    if (typeof sealed !== 'string') throw broken(place, 'it is not sealed')
    return after(this.openBytes(readBase64(sealed, place), place), (bytes) => {
      try {
        return JSON.parse(decoder.decode(bytes)) as unknown
      } catch (cause) {
        throw broken(place, 'what the codec gives is not what was sealed', cause)
      }
    })
  }

  openBytes(sealed: Uint8Array, place: Place): Awaitable<Uint8Array> {
    return this.#asked('The codec', place, () =>
      after(this.#options.codec.open(sealed, { place: this.#bytesOf(place) }), assertBytes),
    )
  }

  #bytesOf(place: Place): Uint8Array {
    return encoder.encode(JSON.stringify([this.#options.fingerprint, ...place]))
  }

  /** What a function of the user gives, in its time. It throws, or rejects with, a `StoreError` alone. */
  #asked<Given>(who: string, place: Place, act: () => Awaitable<Given>): Awaitable<Given> {
    const failed = (error: unknown): never => {
      throw failureOf(who, place, error)
    }
    return rescued(() => {
      const given = act()
      return isLater(given) ? this.#inTime(given) : given
    }, failed)
  }

  #inTime<Given>(given: Promise<Given>): Promise<Given> {
    const { timeout } = this.#options
    return new Promise<Given>((resolve, reject) => {
      const stop = startTimer(timeout, () => reject(new Error(`no answer within ${timeout} ms`)), {
        background: true,
      })
      given.then(resolve, reject).finally(stop)
    })
  }
}

const sealCodes: readonly StoreErrorCode[] = ['SEAL_KEY_MISSING', 'SEAL_BROKEN']

/** Whether the error says that what is sealed can be read by nobody here: its key is gone, or it was changed. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof StoreError && sealCodes.includes(error.code)
}

function failureOf(who: string, place: Place, cause: unknown): StoreError {
  const code = isUnreadable(cause) ? (cause as StoreError).code : 'SEAL_FAILED'
  const { message } = toErrorData(cause)
  return new StoreError(`${who} failed for ${shown(place)}: ${message}`, { cause, code })
}

function broken(place: Place, why: string, cause?: unknown): StoreError {
  return new StoreError(`What is stored of ${shown(place)} does not open: ${why}.`, {
    code: 'SEAL_BROKEN',
    cause,
  })
}

/** The ids of other places are names, which tell nothing. */
function shown([kind, first, second]: Place): string {
  if (kind === 'entry') return `entry ${second} of the run "${first}"`
  if (kind === 'signal' || kind === 'question') return `a ${kind} of the run "${first}"`
  return `a ${kind}`
}

function readBase64(text: string, place: Place): Uint8Array {
  try {
    return bytesOf(text)
  } catch (cause) {
    throw broken(place, 'it is cut or changed', cause)
  }
}

function assertBytes(given: Uint8Array): Uint8Array {
  if (given instanceof Uint8Array) return given
  throw new TypeError('expected a Uint8Array')
}

function assertText(given: string): void {
  if (typeof given !== 'string') throw new TypeError('keyOf must give a text')
}
