/**
 * Lets a source import each name from the module that has it, and not from `src/index.ts` or the kit: a module that stands on
 * the kit would otherwise load all that the kit offers.
 */
import { readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { Plugin } from 'rolldown'

const barrels = [
  'src/index.ts',
  'src/kit/index.ts',
  'src/kit/sql/index.ts',
  'src/kit/wire/index.ts',
  'src/kit/host.ts',
]

interface Origin {
  /** The module that has the name. */
  readonly module: string
  /** Its name there. */
  readonly name: string
}

const statement = /^(import|export) (type )?\{([^}]*)\} from '(\.[^']+)'/gm

/** The exported names of a file that passes names on and does nothing else. */
function originsIn(file: string): ReadonlyMap<string, Origin> {
  const origins = new Map<string, Origin>()
  for (const [, , , names = '', from = ''] of readFileSync(file, 'utf8').matchAll(statement)) {
    for (const given of namesIn(names))
      origins.set(given.as, { module: join(dirname(file), from), name: given.name })
  }
  return origins
}

/** Types leave nothing behind. */
function namesIn(
  names: string,
): readonly { readonly name: string; readonly as: string; readonly isType: boolean }[] {
  return names
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const isType = part.startsWith('type ')
      const [name = '', as = name] = part.replace(/^type /, '').split(' as ')
      return { name, as, isType }
    })
}

export function withoutBarrels(root: string): Plugin {
  const known = new Map(
    barrels.map((file) => [join(root, file), undefined as ReadonlyMap<string, Origin> | undefined]),
  )
  const originsOf = (barrel: string): ReadonlyMap<string, Origin> => {
    const origins = known.get(barrel) ?? originsIn(barrel)
    known.set(barrel, origins)
    return origins
  }
  return {
    name: 'without-barrels',
    transform(code, id) {
      if (!id.startsWith(join(root, 'src') + sep) || known.has(id)) return null
      const direct = code.replace(
        statement,
        (whole, verb: string, type: string | undefined, names: string, from: string) => {
          const barrel = join(dirname(id), from)
          if (!known.has(barrel) || type !== undefined) return whole
          const origins = originsOf(barrel)
          const lines = namesIn(names).flatMap(({ name, as, isType }) => {
            if (isType) return []
            const origin = origins.get(name)
            if (origin === undefined) throw new Error(`${id}: ${barrel} does not export "${name}".`)
            const path = relative(dirname(id), origin.module).split(sep).join('/')
            const specifier = path.startsWith('.') ? path : `./${path}`
            return [`${verb} { ${origin.name === as ? as : `${origin.name} as ${as}`} } from '${specifier}'`]
          })
          // The number of lines stays, so that places in errors are those of the source.
          return lines.join('; ') + '\n'.repeat(whole.split('\n').length - 1)
        },
      )
      return direct === code ? null : { code: direct, map: null }
    },
  }
}
