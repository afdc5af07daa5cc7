import { type MessageFormatElement, TYPE } from '@formatjs/icu-messageformat-parser'
import type { Language } from '#shared/i18n/languages.ts'
import { messageIn, parseMessage } from '#shared/i18n/message.ts'
import ts from '#tools/typescript-api.ts'
import { callsIn, hasTexts, parseSource, type TextCall } from './calls.ts'

/** The name under which inlined code finds shared/i18n/intl.ts. */
const intl = '$intl'

/** What the code has no use for any more. */
const imports = /^import \{[^}]*\} from '[^']*\/(?:i18n\/t|tr)\.ts'$/gm

/**
 * Puts the words of one language where the code writes a text, so that browsers load neither a catalogue nor a parser:
 * shared/i18n/message.ts, as code.
 */
export function inlineTexts(path: string, code: string, language: Language): string {
  if (!hasTexts(code)) return code
  const file = parseSource(path, code)
  const made = withWords(file, file, language).replaceAll(imports, '')
  return made.includes(`${intl}.`) ? `import * as ${intl} from '#shared/i18n/intl.ts';${made}` : made
}

/** The code of a node, with words instead of the calls in it. */
function withWords(node: ts.Node, file: ts.SourceFile, language: Language): string {
  const code = file.text
  let at = node === file ? 0 : node.getStart(file)
  let made = ''
  for (const call of callsIn(node)) {
    const { from, to, words } = wordsOf(call, file, language)
    made += code.slice(at, from) + words
    at = to
  }
  return made + code.slice(at, node.end)
}

type Writer = {
  call: TextCall
  valueIn: (name: string) => string
  /** Writes a tag's function with what is inside the tag. */
  tagged: (name: string, inner: string) => string
}

function wordsOf(call: TextCall, file: ts.SourceFile, language: Language) {
  const { node, kind, text, context } = call
  const range = { from: node.getStart(file), to: node.end }
  if (kind === 'translate') return { ...range, words: `(${withWords(node.arguments[0]!, file, language)})` }
  if (text === undefined) throw new Error(`${file.fileName}: a text must be a literal: ${node.getText(file)}`)
  const elements = parseMessage(messageIn(language, text, context), language)
  const valueIn = (name: string) => {
    if (call.values === undefined) return `(${withWords(node.arguments[1]!, file, language)}).${name}`
    const value = call.values.get(name)
    if (value === undefined) throw new Error(`${file.fileName}: no value ${name} for: ${text}`)
    return `(${withWords(value, file, language)})`
  }
  const tagged = (name: string, inner: string) => taggedBy(call.values?.get(name), inner, file, language)
  const writer = { call, valueIn, tagged }
  if (kind !== 'tr') return { ...range, words: asText(elements, writer, '') }
  const child = node.parent
  const children = asChildren(elements, writer, '')
  if (!ts.isJsxExpression(child) || !isChild(child)) return { ...range, words: `<>${children}</>` }
  return { from: child.getStart(file), to: child.end, words: children }
}

/** Between an element's tags, not the value of an attribute. */
function isChild(node: ts.JsxExpression): boolean {
  return ts.isJsxElement(node.parent) || ts.isJsxFragment(node.parent)
}

/** Code for a string. */
function asText(elements: MessageFormatElement[], writer: Writer, counted: string): string {
  const [only] = elements
  if (elements.length === 1 && only?.type === TYPE.literal) return JSON.stringify(only.value)
  const parts = elements.map(element =>
    element.type === TYPE.literal
      ? element.value.replaceAll(/[\\`]|\$\{/g, found => `\\${found}`)
      : `\${${expression(element, writer, counted, asText)}}`,
  )
  return `\`${parts.join('')}\``
}

/** Code for the children of an element. */
function asChildren(elements: MessageFormatElement[], writer: Writer, counted: string): string {
  return elements
    .map(element =>
      element.type === TYPE.literal
        ? `{${JSON.stringify(element.value)}}`
        : element.type === TYPE.tag
          ? `{${writer.tagged(element.value, asChildren(element.children, writer, counted))}}`
          : `{${expression(element, writer, counted, asNode)}}`,
    )
    .join('')
}

function asNode(elements: MessageFormatElement[], writer: Writer, counted: string): string {
  const [only] = elements
  if (elements.length === 1 && only?.type === TYPE.literal) return JSON.stringify(only.value)
  return `<>${asChildren(elements, writer, counted)}</>`
}

function expression(
  element: MessageFormatElement,
  writer: Writer,
  counted: string,
  inside: typeof asText,
): string {
  switch (element.type) {
    case TYPE.argument:
      return writer.valueIn(element.value)
    case TYPE.number:
      return `${intl}.number(${writer.valueIn(element.value)})`
    case TYPE.pound:
      return `${intl}.number(${counted})`
    case TYPE.plural: {
      const count = writer.valueIn(element.value)
      const ordinal = element.pluralType === 'ordinal' ? ',true' : ''
      return `${intl}.plural(${count},{${forms(element.options, inner => inside(inner, writer, count))}}${ordinal})`
    }
    case TYPE.select: {
      const written = forms(element.options, inner => inside(inner, writer, counted))
      return `${intl}.select(${writer.valueIn(element.value)},{${written}})`
    }
    default:
      throw new Error(`not possible in a text: ${JSON.stringify(element)}`)
  }
}

function forms(
  options: Record<string, { value: MessageFormatElement[] }>,
  write: (inner: MessageFormatElement[]) => string,
): string {
  return Object.entries(options)
    .map(([form, { value }]) => `${JSON.stringify(form)}:${write(value)}`)
    .join(',')
}

/** An arrow function that puts what it gets once into an element becomes that element; any other is called. */
function taggedBy(make: ts.Node | undefined, inner: string, file: ts.SourceFile, language: Language): string {
  if (make === undefined) throw new Error(`${file.fileName}: a tag has no function`)
  const place = ts.isArrowFunction(make) ? placeOfWords(make, file) : undefined
  if (place === undefined) return `(${withWords(make, file, language)})(<>${inner}</>)`
  const { body } = make as ts.ArrowFunction
  const code = file.text
  return code.slice(body.getStart(file), place.getStart(file)) + inner + code.slice(place.end, body.end)
}

function placeOfWords(make: ts.ArrowFunction, file: ts.SourceFile): ts.JsxExpression | undefined {
  const [parameter] = make.parameters
  if (callsIn(make).length > 0) return undefined
  const name = parameter?.name.getText(file)
  const places: ts.Node[] = []
  const visit = (node: ts.Node) => {
    if (ts.isIdentifier(node) && node.text === name && node !== parameter?.name) places.push(node)
    ts.forEachChild(node, visit)
  }
  visit(make)
  const [place] = places
  const around = place?.parent
  const fits = places.length === 1 && around && ts.isJsxExpression(around) && isChild(around)
  return fits ? around : undefined
}
