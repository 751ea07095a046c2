/**
 * A checker for the part of Mermaid's state diagrams that `toMermaid` writes. It is stricter than Mermaid,
 * which silently draws something else when a label holds a semicolon, an id is a keyword of its lexer or a
 * state is named in the body of a composite that it is not in; or never returns, when a composite is named
 * in its own body. Found with mermaid 11.17 and 12.3, whose package is too heavy to be a dependency.
 */
const id = String.raw`[\p{L}\p{N}_]+`
const textLine = String.raw`(?:[^\s#:;"<>]|#\d+;)(?:[^#:;"<>]|#\d+;)*`
const text = String.raw`${textLine}(?:<br>${textLine})*`

const forms = {
  direction: /^direction (?:TB|LR)$/,
  region: /^--$/,
  close: /^\}$/,
  open: new RegExp(`^state (?:"${text}" as )?(?<state>${id}) \\{$`, 'u'),
  declaration: new RegExp(`^(?:state "${text}" as )?(?<state>${id})$`, 'u'),
  initial: new RegExp(`^\\[\\*\\] --> (?<state>${id})(?::::final)?(?: : ${text})?$`, 'u'),
  final: new RegExp(`^(?<state>${id}) --> \\[\\*\\]$`, 'u'),
  arrow: new RegExp(`^(?<from>${id}) --> (?<to>${id})(?::::(?:outside|final))?(?: : ${text})?$`, 'u'),
  style: /^classDef (?:outside fill:none,stroke-dasharray:4|final stroke-width:3px)$/,
  note: new RegExp(`^note right of (?<state>${id}) : ${text}$`, 'u'),
}

const keywords =
  'accDescr accTitle as class classDef click default direction end hide href note root scale state style'.split(
    ' ',
  )

export interface CheckedDiagram {
  /** Each state's composite; `undefined` at the top. */
  readonly parents: ReadonlyMap<string, string | undefined>
  readonly arrows: number
}

/** Throws where the text is not what Mermaid draws as meant. */
export function checkMermaid(diagram: string): CheckedDiagram {
  const [header, ...lines] = diagram.split('\n')
  if (header !== 'stateDiagram-v2') throw new Error(`Not a state diagram: ${header}`)
  if (lines.pop() !== '') throw new Error('The text must end with a newline.')

  const stack: string[] = []
  const parents = new Map<string, string | undefined>()
  const atTop = new Set<string>()
  let arrows = 0

  for (const [index, line] of lines.entries()) {
    const fail = (why: string) => new Error(`Line ${index + 2}: ${why}: ${line}`)
    const body = line.trimStart()
    const match = Object.entries(forms).find(([, form]) => form.test(body))
    if (match === undefined) throw fail('no such statement')
    const [form, expression] = match
    if (form === 'close' && stack.pop() === undefined) throw fail('nothing to close')
    if (line !== '  '.repeat(stack.length + 1) + body) throw fail('wrong indentation')
    if (form === 'region' && stack.length === 0) throw fail('a region outside of a composite')
    const turn = `${line}\n${lines[index + 1] ?? ''}`.search(/direction\s+(?:tb|bt|rl|lr)/i)
    if (form !== 'direction' && turn !== -1 && turn < line.length) throw fail('would be read as a direction')
    if (form === 'note' && !lines.slice(0, index).some((earlier) => declares(earlier, body))) {
      throw fail('a note before its state')
    }
    if (['initial', 'final', 'arrow'].includes(form)) arrows += 1

    const named = Object.values(expression.exec(body)?.groups ?? {})
    for (const name of named) {
      if (keywords.includes(name.toLowerCase()) || /_(?:start|end)$/i.test(name))
        throw fail(`"${name}" is taken`)
      if (stack.includes(name)) throw fail(`"${name}" is named in its own body`)
      const parent = stack.at(-1)
      if (parent === undefined && ['arrow', 'initial'].includes(form)) atTop.add(name)
      else if (parents.has(name) && parents.get(name) !== parent) throw fail(`"${name}" is in two composites`)
      else parents.set(name, parent)
    }
    if (form === 'open') stack.push(...named)
  }

  if (stack.length > 0) throw new Error(`Not closed: ${stack.join(', ')}`)
  // At the top an arrow may name any state, and it is the first mention of those that have no line of their own.
  for (const name of atTop) if (!parents.has(name)) parents.set(name, undefined)
  return { parents, arrows }
}

function declares(line: string, note: string): boolean {
  const state = forms.note.exec(note)?.groups?.state
  const body = line.trimStart()
  return state === (forms.declaration.exec(body) ?? forms.open.exec(body))?.groups?.state
}
