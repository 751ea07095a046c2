/** `restateSealing()`: seals the payloads that agents give to Restate. */
import { ConfigurationError } from '../index.ts'
import {
  type Fields,
  aName,
  base64Of,
  bytesOf,
  having,
  is,
  readOptions,
  required,
  withDefault,
  defaultsOf,
} from '../kit/index.ts'
import { isLater } from './awaitable.ts'
import type { SealCodec } from './codec.ts'
import { idOrName } from './envelope.ts'
import { Names } from './names.ts'
import { Seals } from './seals.ts'

/** The options of `restateSealing`. */
export interface RestateSealingOptions {
  /** Seals at once, as `aesCodec` does on Node with a list of keys. It may open later. */
  readonly codec: SealCodec
  /** A secret of 32 bytes or more, for the names of ids: it stays the same. */
  readonly names: Uint8Array
  /** The name of the key, for all payloads alike. Default: `shared`. */
  readonly key?: string
}

/** What `restateEndpoint` and `restateTroupe` take as `sealing`. */
export interface PayloadSealing {
  /** The bytes that Restate gets: ASCII. */
  seal(bytes: Uint8Array): Uint8Array
  /** The bytes that were sealed. */
  open(sealed: Uint8Array): Promise<Uint8Array>
  /** The name of an id, by which lists find it. */
  nameOf(kind: 'resource' | 'thread' | 'conversation', id: string): string
  /** The id of a name. */
  idOf(kind: 'resource' | 'thread' | 'conversation', name: string): string
}

const fields = {
  codec: required(having('a codec', 'seal', 'open')),
  names: required(
    is('a Uint8Array of 32 bytes or more', (given) => given instanceof Uint8Array && given.length >= 32),
  ),
  key: withDefault(aName, 'shared'),
} satisfies Fields<RestateSealingOptions>

const place = ['payload'] as const

/** Milliseconds that a codec has to open a payload. */
const timeout = 10_000

/**
 * Makes what seals the payloads of agents on Restate: workers and clients take the same as `sealing`. Throws a `ConfigurationError` for a
 * wrong option; `seal` throws one for a codec that answers later.
 */
export function restateSealing(options: RestateSealingOptions): PayloadSealing {
  const {
    codec,
    names: secret,
    key,
  } = {
    ...defaultsOf(fields),
    ...readOptions<RestateSealingOptions>(options, 'restateSealing', fields),
  }
  const names = new Names(secret)
  const seals = new Seals({ codec, keyOf: () => key, timeout, fingerprint: names.fingerprint })
  const [encoder, decoder] = [new TextEncoder(), new TextDecoder()]
  return {
    seal(bytes) {
      const sealed = seals.sealBytes(bytes, undefined, place)
      if (!isLater(sealed)) return encoder.encode(base64Of(sealed))
      sealed.catch(() => undefined) // the refusal tells of it
      throw new ConfigurationError(
        'restateSealing: the codec must seal at once: Restate waits for no promise.',
      )
    },
    open: async (sealed) => seals.openBytes(bytesOf(decoder.decode(sealed)), place),
    nameOf: (kind, id) => names.of(kind, id),
    idOf: (kind, name) => idOrName(names, kind, name),
  }
}
