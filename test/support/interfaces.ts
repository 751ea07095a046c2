/** The properties of interfaces as they stand in our sources, read with oxc-parser: what the tables of docs/ must name. */
import { readFileSync } from 'node:fs'
import { parseSync, Visitor, type Comment, type TSSignature, type TSType } from 'oxc-parser'

export interface Property {
  readonly name: string
  readonly isOptional: boolean
  /** Its docstring as one line; empty where there is none. */
  readonly doc: string
  readonly type: TSType | undefined
}

export type Interfaces = Readonly<Record<string, readonly Property[]>>

/**
 * The own properties and methods of every interface of a file, and of types that are objects, by name. With `inherited`
 * also those of the interfaces before it that it extends.
 */
export function interfacesOf(file: string, { inherited = false } = {}): Interfaces {
  const source = readFileSync(file, 'utf8')
  const { program, comments, errors } = parseSync(file, source)
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0]?.message}`)
  const found: Record<string, Property[]> = {}
  const add = (name: string, members: readonly TSSignature[]): void => {
    found[name] = propertiesOf(members, (start) => docBefore(start, source, comments))
  }
  new Visitor({
    TSInterfaceDeclaration(declared) {
      add(declared.id.name, declared.body.body)
      if (!inherited) return
      for (const { expression } of declared.extends) {
        const more = expression.type === 'Identifier' ? found[expression.name] : undefined
        found[declared.id.name]?.push(...(more ?? []))
      }
    },
    TSTypeAliasDeclaration({ id, typeAnnotation }) {
      if (typeAnnotation.type === 'TSTypeLiteral') add(id.name, typeAnnotation.members)
    },
  }).visit(program)
  return found
}

/** The names of the fields of an object type: of literals, intersections, and interfaces that are named. */
export function fieldsOf(type: TSType | undefined, interfaces: Interfaces): string[] {
  switch (type?.type) {
    case 'TSTypeLiteral':
      return propertiesOf(type.members, () => '').map(shown)
    case 'TSIntersectionType':
      return type.types.flatMap((part) => fieldsOf(part, interfaces))
    case 'TSTypeReference': {
      const name = type.typeName.type === 'Identifier' ? type.typeName.name : ''
      if (name === 'Partial') {
        const fields = fieldsOf(type.typeArguments?.params[0], interfaces)
        return fields.map((field) => (field.endsWith('?') ? field : `${field}?`))
      }
      const properties = interfaces[name]
      if (properties === undefined) throw new Error(`There is no interface "${name}".`)
      return properties.map(shown)
    }
    default:
      throw new Error(`Not an object type: ${type?.type}.`)
  }
}

const shown = ({ name, isOptional }: Property): string => (isOptional ? `${name}?` : name)

function propertiesOf(members: readonly TSSignature[], doc: (start: number) => string): Property[] {
  return members.flatMap((member) => {
    if (member.type !== 'TSPropertySignature' && member.type !== 'TSMethodSignature') return []
    if (member.key.type !== 'Identifier' && member.key.type !== 'Literal') return []
    return {
      name: member.key.type === 'Identifier' ? member.key.name : String(member.key.value),
      isOptional: member.optional,
      doc: doc(member.start),
      type: member.type === 'TSPropertySignature' ? member.typeAnnotation?.typeAnnotation : undefined,
    }
  })
}

function docBefore(start: number, source: string, comments: readonly Comment[]): string {
  const comment = comments.findLast(({ end }) => end <= start)
  if (comment === undefined || source.slice(comment.end, start).trim() !== '') return ''
  return comment.value
    .replaceAll(/^\s*\*+ ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
