/** The front matter of a `SKILL.md`, by the rules of the Agent Skills format. */
import { parse } from 'yaml'
import { ConfigurationError } from '../index.ts'
import { isRecord, visibleText } from '../kit/index.ts'

export interface FrontMatter {
  readonly name: string
  readonly description: string
  /** All text after the front matter. */
  readonly body: string
}

/** Characters, as a person counts them. */
const longest = { matter: 16_384, name: 64, description: 1024, compatibility: 500 } as const

/** `folder`: the name of the folder, which the name of the skill equals. `where`: for errors. Throws a `ConfigurationError`. */
export function readFrontMatter(text: string, folder: string, where: string): FrontMatter {
  const wrong = (problem: string): ConfigurationError => new ConfigurationError(`${where}: ${problem}`)
  const found = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\r?\n|$)/.exec(text)
  const [whole = '', matter = ''] = found ?? []
  if (found === null) throw wrong('it must begin with front matter: YAML between two lines of ---.')
  if (matter.length > longest.matter)
    throw wrong(`its front matter has ${matter.length} characters. At most ${longest.matter} are read.`)
  const fields = fieldsOf(matter, wrong)
  const name = textOf(fields, 'name', longest.name, wrong).normalize('NFKC')
  const problem = nameProblem(name)
  if (problem !== undefined) throw wrong(`its name ${shown(name)} ${problem}.`)
  if (folder.normalize('NFKC') !== name)
    throw wrong(`its name ${shown(name)} must equal the name of its folder, ${shown(folder)}.`)
  const description = textOf(fields, 'description', longest.description, wrong)
  if (fields['compatibility'] !== undefined) textOf(fields, 'compatibility', longest.compatibility, wrong)
  return { name, description, body: text.slice(whole.length).trim() }
}

function fieldsOf(
  matter: string,
  wrong: (problem: string) => ConfigurationError,
): Readonly<Record<string, unknown>> {
  let fields: unknown
  try {
    // All scalars are texts, as in the format: a version 1.0 stays "1.0". No alias repeats a part.
    fields = parse(matter, { schema: 'failsafe', maxAliasCount: 0, logLevel: 'error' })
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    throw wrong(
      `its front matter is no YAML (${visibleText(reason.slice(0, 200))}). Put texts with ": " in quotes.`,
    )
  }
  if (!isRecord(fields)) throw wrong('its front matter must be a mapping with name and description.')
  return fields
}

function textOf(
  fields: Readonly<Record<string, unknown>>,
  key: string,
  most: number,
  wrong: (problem: string) => ConfigurationError,
): string {
  const given = fields[key]
  if (typeof given !== 'string' || given.trim() === '') throw wrong(`its front matter needs a text "${key}".`)
  const text = given.trim()
  const length = Array.from(text).length
  if (length > most) throw wrong(`its ${key} has ${length} characters. At most ${most} are allowed.`)
  return text
}

function nameProblem(name: string): string | undefined {
  if (name !== name.toLowerCase()) return 'must be in lower case'
  if (!/^[\p{L}\p{N}-]+$/u.test(name)) return 'may have letters, digits and hyphens alone'
  if (name.startsWith('-') || name.endsWith('-')) return 'must not begin or end with a hyphen'
  return name.includes('--') ? 'must not have two hyphens in a row' : undefined
}

function shown(text: string): string {
  return `"${visibleText(text.slice(0, 80))}"`
}
