import { memoryStore, type Store, type WholeStore } from 'troupe'
import { restateEndpoint, type RestateSealing } from 'troupe/restate'
import { aesCodec, restateSealing, sealedStore, type SealCodec, type SealKeys } from 'troupe/sealed'
import { sqliteStore, type SqliteStore } from 'troupe/sqlite'

const bytes = new Uint8Array(32)
const codec: SealCodec = aesCodec({ keys: [{ id: 'a', bytes }] })

const whole: WholeStore = sealedStore(memoryStore(), { codec, names: bytes })
const sqlite: Omit<SqliteStore, 'backup'> = sealedStore(sqliteStore('runs.db'), { codec, names: bytes })
const some: Store = sealedStore(whole as Store, {
  codec,
  names: bytes,
  keyOf: async (resource) => resource ?? 'none',
})

const vault: SealKeys = { newest: async () => undefined, find: () => ({ id: 'a', bytes }) }
aesCodec({ keys: vault, keepKeys: 0 })

const own: SealCodec = {
  seal: async (given, { key, place }) => (key === '' ? place : given),
  open: (given, { place }) => (place.length === 0 ? place : given),
}

// @ts-expect-error a codec needs both functions
sealedStore(sqlite, { codec: { seal: own.seal }, names: bytes })
// @ts-expect-error names are bytes
sealedStore(sqlite, { codec: own, names: 'secret' })
// @ts-expect-error the names are missing
sealedStore(sqlite, { codec: own })
// @ts-expect-error redact answers at once
sealedStore(sqlite, { codec: own, names: bytes, redact: async (text: string) => text })
// @ts-expect-error a key has an id
aesCodec({ keys: [{ bytes }] })
// @ts-expect-error a store whose ports may be absent has them not for certain
const certain: WholeStore = some
void certain

const payloads: RestateSealing = restateSealing({ codec, names: bytes })
restateEndpoint({ agents: [], sealing: payloads })
// @ts-expect-error a codec is no sealing
restateEndpoint({ agents: [], sealing: codec })
