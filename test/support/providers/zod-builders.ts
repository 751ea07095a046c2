/**
 * A schema of each builder of zod, with JSON that fits it and JSON that does not; and the functions of zod that build none.
 * A test compares the names with those that zod exports: a new builder needs a row.
 */
/* oxlint-disable typescript/no-deprecated, promise/valid-params -- each builder of zod, the old ones too */
import { z } from 'zod'

export interface Built {
  readonly schema: () => z.ZodType
  readonly fits: unknown
  /** Absent: every JSON value fits. */
  readonly unfit?: unknown
}

const date = new Date(0).toISOString()
const uuid = '11111111-1111-4111-8111-111111111111'
const text = (schema: () => z.ZodType, fits: string, unfit: unknown = '#') => ({ schema, fits, unfit })

export const zodBuilders: Readonly<Record<string, Built>> = {
  any: { schema: () => z.any(), fits: [1] },
  array: { schema: () => z.array(z.string()).min(1).max(2), fits: ['a'], unfit: [] },
  base64: text(() => z.base64(), 'aGk='),
  base64url: text(() => z.base64url(), 'aGk'),
  boolean: { schema: () => z.boolean(), fits: true, unfit: 'true' },
  catch: { schema: () => z.catch(z.string(), 'x'), fits: 'a' },
  check: { schema: () => z.string().check(z.minLength(2)), fits: 'ab', unfit: 'a' },
  cidrv4: text(() => z.cidrv4(), '10.0.0.0/8'),
  cidrv6: text(() => z.cidrv6(), '2001:db8::/32'),
  codec: {
    schema: () => z.codec(z.string(), z.number(), { decode: Number, encode: String }),
    fits: '1',
    unfit: 1,
  },
  creditCard: text(() => z.creditCard(), '4242424242424242'),
  cuid: text(() => z.cuid(), 'cjld2cjxh0000qzrmn831i7rn'),
  cuid2: text(() => z.cuid2(), 'tz4a98xxat96iws9zmbrgj3a'),
  currencyCode: text(() => z.currencyCode(), 'EUR'),
  discriminatedUnion: {
    schema: () =>
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a'), a: z.number() }),
        z.object({ kind: z.literal('b'), b: z.string() }),
      ]),
    fits: { kind: 'a', a: 1 },
    unfit: { kind: 'a', b: 'x' },
  },
  e164: text(() => z.e164(), '+4917012345678'),
  email: text(() => z.email(), 'a@b.de'),
  emoji: text(() => z.emoji(), '🙂'),
  endsWith: text(() => z.string().endsWith('-x'), 'a-x'),
  enum: text(() => z.enum(['a', 'b']), 'a'),
  exactOptional: { schema: () => z.object({ a: z.exactOptional(z.string()) }), fits: {}, unfit: { a: 1 } },
  float32: { schema: () => z.float32(), fits: 1.5, unfit: 1e39 },
  float64: { schema: () => z.float64(), fits: 1.5, unfit: 'x' },
  guid: text(() => z.guid(), uuid),
  gt: { schema: () => z.number().gt(1), fits: 2, unfit: 1 },
  gte: { schema: () => z.number().gte(1), fits: 1, unfit: 0 },
  hash: text(() => z.hash('md5'), '5d41402abc4b2a76b9719d911017c592'),
  hex: text(() => z.hex(), 'ab'),
  hostname: text(() => z.hostname(), 'e.com'),
  httpUrl: text(() => z.httpUrl(), 'https://e.com'),
  iban: text(() => z.iban(), 'DE89370400440532013000'),
  includes: text(() => z.string().includes('-'), 'a-b'),
  int: { schema: () => z.int(), fits: 1, unfit: 1.5 },
  int32: { schema: () => z.int32(), fits: 1, unfit: 2 ** 40 },
  intersection: {
    schema: () => z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
    fits: { a: 'a', b: 'b' },
    unfit: { a: 'a' },
  },
  ipv4: text(() => z.ipv4(), '10.0.0.1'),
  ipv6: text(() => z.ipv6(), '::1'),
  json: { schema: () => z.json(), fits: { a: [1, null] } },
  jwt: text(() => z.jwt(), 'eyJhbGciOiJIUzI1NiJ9.e30.AAAA'),
  keyof: text(() => z.keyof(z.object({ a: z.string() })), 'a'),
  ksuid: text(() => z.ksuid(), '0ujtsYcgvSTl8PAuAdqWYSMnLOv'),
  lazy: {
    schema: () => {
      const tree = z.object({
        get kids() {
          return z.array(tree)
        },
      })
      return tree
    },
    fits: { kids: [{ kids: [] }] },
    unfit: { kids: [{}] },
  },
  length: text(() => z.string().length(2), 'ab'),
  literal: { schema: () => z.literal([1, 'a', null]), fits: 'a', unfit: 'b' },
  looseObject: { schema: () => z.looseObject({ a: z.string() }), fits: { a: 'a', b: 1 }, unfit: {} },
  looseRecord: {
    schema: () => z.looseRecord(z.string().regex(/^a/), z.number()),
    fits: { a: 1, b: 'x' },
    unfit: { a: 'x' },
  },
  lowercase: text(() => z.string().lowercase(), 'a', 'A'),
  lt: { schema: () => z.number().lt(1), fits: 0, unfit: 1 },
  lte: { schema: () => z.number().lte(1), fits: 1, unfit: 2 },
  mac: text(() => z.mac(), '00:1A:2B:3C:4D:5E'),
  maxLength: text(() => z.string().max(2), 'ab', 'abc'),
  maxSize: { schema: () => z.array(z.string()).max(1), fits: ['a'], unfit: ['a', 'b'] },
  minLength: text(() => z.string().min(2), 'ab'),
  minSize: { schema: () => z.array(z.string()).min(2), fits: ['a', 'b'], unfit: [] },
  multipleOf: { schema: () => z.number().multipleOf(5), fits: 10, unfit: 11 },
  nanoid: text(() => z.nanoid(), 'V1StGXR8_Z5jdHi6B-myT'),
  nativeEnum: { schema: () => z.nativeEnum({ A: 'a', B: 'b' }), fits: 'a', unfit: 'c' },
  negative: { schema: () => z.number().negative(), fits: -1, unfit: 1 },
  never: { schema: () => z.object({ a: z.never().optional() }), fits: {}, unfit: { a: 1 } },
  nonnegative: { schema: () => z.number().nonnegative(), fits: 0, unfit: -1 },
  nonoptional: { schema: () => z.nonoptional(z.string().optional()), fits: 'a', unfit: 1 },
  nonpositive: { schema: () => z.number().nonpositive(), fits: 0, unfit: 1 },
  null: { schema: () => z.null(), fits: null, unfit: 1 },
  nullable: { schema: () => z.nullable(z.object({ a: z.string() })), fits: null, unfit: { a: 1 } },
  nullish: { schema: () => z.object({ a: z.nullish(z.string()) }), fits: { a: null }, unfit: { a: 1 } },
  number: { schema: () => z.number(), fits: 1, unfit: 'x' },
  object: { schema: () => z.object({ a: z.string() }), fits: { a: 'a' }, unfit: {} },
  optional: { schema: () => z.object({ a: z.optional(z.string()) }), fits: {}, unfit: { a: 1 } },
  partialRecord: {
    schema: () => z.partialRecord(z.enum(['a', 'b']), z.number()),
    fits: { a: 1 },
    unfit: { c: 1 },
  },
  pipe: { schema: () => z.pipe(z.string(), z.transform(Number)), fits: '1', unfit: 1 },
  positive: { schema: () => z.number().positive(), fits: 1, unfit: 0 },
  prefault: { schema: () => z.prefault(z.string(), 'x'), fits: 'a', unfit: 1 },
  preprocess: { schema: () => z.preprocess((value) => value, z.string()), fits: 'a', unfit: 1 },
  readonly: { schema: () => z.readonly(z.string()), fits: 'a', unfit: 1 },
  record: { schema: () => z.record(z.string(), z.number()), fits: { a: 1 }, unfit: { a: 'x' } },
  regex: text(() => z.string().regex(/^(?=.*\d)[a-z0-9]{8,}$/), 'abcdefg1'),
  size: { schema: () => z.array(z.string()).length(1), fits: ['a'], unfit: [] },
  startsWith: text(() => z.string().startsWith('INV-'), 'INV-1'),
  strictObject: {
    schema: () => z.strictObject({ a: z.string() }),
    fits: { a: 'a' },
    unfit: { a: 'a', b: 1 },
  },
  string: text(() => z.string(), 'a', 1),
  stringFormat: text(() => z.stringFormat('cool', /^cool-\w+$/), 'cool-x'),
  stringbool: text(() => z.stringbool(), 'true'),
  templateLiteral: text(() => z.templateLiteral(['a', z.number()]), 'a1'),
  tuple: { schema: () => z.tuple([z.string(), z.number()]), fits: ['a', 1], unfit: ['a'] },
  uint32: { schema: () => z.uint32(), fits: 1, unfit: -1 },
  ulid: text(() => z.ulid(), '01ARZ3NDEKTSV4RRFFQ69G5FAV'),
  union: { schema: () => z.union([z.string(), z.number()]), fits: 1, unfit: true },
  unknown: { schema: () => z.unknown(), fits: 'x' },
  uppercase: text(() => z.string().uppercase(), 'A', 'a'),
  url: text(() => z.url(), 'https://e.com'),
  uuid: text(() => z.uuid(), uuid),
  uuidv4: text(() => z.uuidv4(), uuid),
  uuidv6: text(() => z.uuidv6(), '1ec9414c-232a-6b00-b3c8-9f6bdeced846'),
  uuidv7: text(() => z.uuidv7(), '018f0a5e-4c3d-7a8b-9c0d-1e2f3a4b5c6d'),
  xid: text(() => z.xid(), '9m4e2mr0ui3e8a215n4g'),
  xor: { schema: () => z.xor([z.string(), z.number()]), fits: 1, unfit: true },
  'iso.date': text(() => z.iso.date(), '2026-01-01'),
  'iso.datetime': text(() => z.iso.datetime(), date),
  'iso.duration': text(() => z.iso.duration(), 'P1D'),
  'iso.time': text(() => z.iso.time(), '10:00'),
  'coerce.number': { schema: () => z.coerce.number(), fits: 1, unfit: 'x' },
  'coerce.string': { schema: () => z.coerce.string(), fits: 'a' },
  'coerce.boolean': { schema: () => z.coerce.boolean(), fits: true },
}

/** Builders whose values are no JSON: a schema that has one is refused where an agent or a tool is made. */
export const notOfJson: Readonly<Record<string, () => z.ZodType>> = {
  bigint: () => z.bigint(),
  custom: () => z.custom(() => true),
  date: () => z.date(),
  function: () => z.instanceof(Function),
  instanceof: () => z.instanceof(Date),
  int64: () => z.int64(),
  map: () => z.map(z.string(), z.string()),
  nan: () => z.nan(),
  set: () => z.set(z.string()),
  symbol: () => z.symbol(),
  transform: () => z.transform(Number),
  uint64: () => z.uint64(),
  undefined: () => z.undefined(),
  void: () => z.void(),
  'coerce.bigint': () => z.coerce.bigint(),
  'coerce.date': () => z.coerce.date(),
}

const others =
  'clone compile config deepPartial describe file flattenError formatError fromJSONSchema ' +
  'getDiscriminatedOption getErrorMap input invertCodec memoizer meta mime normalize output ' +
  'overwrite prettifyError promise properties property refine registry setErrorMap slugify ' +
  'success superRefine toJSONSchema toLowerCase toUpperCase toZod treeifyError trim withParser ' +
  'validate validateAsync'
const readers = 'parse safeParse encode safeEncode decode safeDecode'.split(' ')
/** Functions of zod that build no schema of JSON: checks, readers, and the schemas of files and promises. */
export const notBuilders: ReadonlySet<string> = new Set(
  others.split(' ').concat(readers.flatMap((name) => [name, `${name}Async`])),
)
