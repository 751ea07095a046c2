/**
 * The rule of `null`: many models fill in every field. Where the schema does not take `null`, it counts as left out; whether
 * the field may be left out is for the schema to say, which is asked again.
 */
import { isRecord, type JsonValue } from '../values/json.ts'
import type { SchemaIssue } from './schema.ts'

type Path = readonly PropertyKey[]

/** The value without the fields whose `null` the schema has found wrong; `undefined`: there are none. */
export function withoutNulls(value: JsonValue, issues: readonly SchemaIssue[]): JsonValue | undefined {
  const paths = issues.flatMap((issue) => nullsOf(value, issue))
  return paths.length === 0 ? undefined : dropped(value, treeOf(paths))
}

/** The nulls that an issue is about. */
function nullsOf(value: JsonValue, issue: SchemaIssue): readonly Path[] {
  const path = (issue.path ?? []).map((segment): PropertyKey =>
    typeof segment === 'object' ? segment.key : segment,
  )
  const place = path.reduce<JsonValue | undefined>(partOf, value)
  if (place === null)
    return isRecord(path.slice(0, -1).reduce<JsonValue | undefined>(partOf, value)) ? [path] : []
  return place === undefined ? [] : nullsOfVariant(place, issue).map((below) => [...path, ...below])
}

/**
 * Zod tells of a union what is wrong with each variant: the first counts that has nulls at fault alone. Valibot tells all
 * faults of all variants in one list.
 */
function nullsOfVariant(place: JsonValue, issue: SchemaIssue): readonly Path[] {
  const faults: unknown = 'issues' in issue ? issue.issues : undefined
  if (Array.isArray(faults)) {
    return (faults as readonly SchemaIssue[]).flatMap((one) => nullsOf(place, one))
  }
  const variants: unknown = 'errors' in issue ? issue.errors : undefined
  if (!Array.isArray(variants)) return []
  const nulls = (variants as readonly (readonly SchemaIssue[])[]).map((issues) => {
    const paths = issues.map((one) => nullsOf(place, one))
    return paths.every(({ length }) => length > 0) ? paths.flat() : []
  })
  return nulls.find(({ length }) => length > 0) ?? []
}

function partOf(value: JsonValue | undefined, key: PropertyKey): JsonValue | undefined {
  const isHolder = typeof value === 'object' && value !== null
  return isHolder && Object.hasOwn(value, key) ? (Reflect.get(value, key) as JsonValue) : undefined
}

/** The fields to drop, by the objects that hold them. A leaf is dropped. */
type Tree = Map<string, Tree>

function treeOf(paths: readonly Path[]): Tree {
  const root: Tree = new Map()
  for (const path of paths) {
    let tree = root
    for (const key of path.map(String)) {
      const below = tree.get(key) ?? new Map<string, Tree>()
      tree.set(key, below)
      tree = below
    }
  }
  return root
}

function dropped(value: JsonValue, tree: Tree): JsonValue {
  if (!isRecord(value))
    return (value as readonly JsonValue[]).map((item, index) => kept(item, tree.get(String(index))))
  const fields = Object.entries(value as Readonly<Record<string, JsonValue>>)
  const others = fields.filter(([key]) => tree.get(key)?.size !== 0)
  return Object.fromEntries(others.map(([key, part]) => [key, kept(part, tree.get(key))]))
}

function kept(part: JsonValue, tree: Tree | undefined): JsonValue {
  return tree === undefined ? part : dropped(part, tree)
}
