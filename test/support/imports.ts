/** What a module imports, read with oxc-parser: static, re-exported, dynamic and in types. */
import { globSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'
import { parseSync, Visitor, type Expression } from 'oxc-parser'

export interface Import {
  /** The importing file, relative to the root that was read. */
  readonly file: string
  readonly specifier: string
  /** The imported file, relative to the same root; `undefined` for a package. */
  readonly target: string | undefined
  /** `type` leaves nothing in the emitted file. `import { type X }` does: it stays as `import {}`. */
  readonly kind: 'static' | 'type' | 'dynamic'
}

export type Sources = Readonly<Record<string, string>>

/** Every TypeScript file below `root`, but no build of Next.js, by its path relative to it. */
export function readSources(root: string): Sources {
  return Object.fromEntries(
    globSync('**/*.{ts,tsx}', { cwd: root, exclude: ['**/.next'] }).map((path) => [
      path.split(sep).join('/'),
      readFileSync(join(root, path), 'utf8'),
    ]),
  )
}

export function importsIn(sources: Sources): Import[] {
  return Object.entries(sources).flatMap(([file, source]) => importsOf(file, source))
}

function importsOf(file: string, source: string): Import[] {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0]?.message}`)
  const imports: Import[] = []
  const add = (specifier: string, kind: Import['kind']) => {
    const target = specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : undefined
    imports.push({ file, specifier, target, kind })
  }
  new Visitor({
    ImportDeclaration: (node) => add(node.source.value, node.importKind === 'type' ? 'type' : 'static'),
    ExportAllDeclaration: (node) => add(node.source.value, node.exportKind === 'type' ? 'type' : 'static'),
    ExportNamedDeclaration(node) {
      if (node.source) add(node.source.value, node.exportKind === 'type' ? 'type' : 'static')
    },
    ImportExpression: (node) => add(textOf(node.source), 'dynamic'),
    TSImportType: (node) => add(textOf(node.source), 'type'),
  }).visit(program)
  return imports
}

function textOf(node: Expression): string {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : '(computed)'
}
