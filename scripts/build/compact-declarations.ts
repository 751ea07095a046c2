/**
 * Declarations as the compiler writes them are a third larger than they must be: each type that it infers names the modules of
 * its parts anew, and four spaces stand for a tab. A module that a declaration names often is imported once.
 */
import { readFileSync, writeFileSync } from 'node:fs'

/** A line of an import pays from here on. */
const often = 4

export function compactDeclarations(files: Iterable<string>): void {
  for (const file of files) {
    const text = readFileSync(file, 'utf8')
    const compact = withoutSpaces(withImports(text))
    if (compact !== text) writeFileSync(file, compact)
  }
}

/** No name of the library begins with a dollar. */
function withImports(text: string): string {
  const uses = new Map<string, number>()
  for (const [, module = ''] of text.matchAll(/\bimport\("([^"]+)"\)\./g))
    uses.set(module, (uses.get(module) ?? 0) + 1)
  const modules = [...uses].filter(([, count]) => count >= often).map(([module]) => module)
  if (modules.length === 0 || text.includes('$')) return text
  const names = new Map(modules.map((module, index) => [module, `$${index}`]))
  const short = text.replaceAll(/\bimport\("([^"]+)"\)\./g, (whole, module: string) => {
    const name = names.get(module)
    return name === undefined ? whole : `${name}.`
  })
  const imports = Array.from(names, ([module, name]) => `import type * as ${name} from "${module}";\n`)
  return short + imports.join('')
}

function withoutSpaces(text: string): string {
  return text.replaceAll(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4))
}
