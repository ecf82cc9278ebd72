import { readFileSync } from 'node:fs';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { DATASETS_FOLDER } from './read-dataset.ts';

/**
 * The public data as database tables. With these tables, tests compute every number a second time, without code that
 * the demo uses.
 */
export class SqlTables {
  readonly #database = new DatabaseSync(':memory:');

  /** Loads a file of comma-separated values. Every column is text. */
  csv(table: string, file: string): this {
    const [head = '', ...lines] = readFileSync(`${DATASETS_FOLDER}${file}`, 'utf8').trim().split(/\r?\n/);
    const columns = head.split(',').map((column) => `"${column}"`);
    this.#database.exec(`create table ${table} (${columns.join(', ')})`);
    const insert = this.#database.prepare(`insert into ${table} values (${columns.map(() => '?').join(', ')})`);
    for (const line of lines) insert.run(...line.split(','));
    return this;
  }

  /** Loads a JSON file of flat objects. The first object determines the columns. */
  json(table: string, file: string): this {
    const text = readFileSync(`${DATASETS_FOLDER}${file}`, 'utf8');
    const columns = Object.keys((JSON.parse(text) as object[])[0] ?? {}).map(
      (name) => `value ->> '$.${name}' as "${name}"`,
    );
    this.#database.prepare(`create table ${table} as select ${columns.join(', ')} from json_each(?)`).run(text);
    return this;
  }

  /** A query's first row, as a list of its values. */
  row(sql: string): SQLOutputValue[] {
    return this.rows(sql)[0] ?? [];
  }

  /** All rows that a query returns, each as a list of its values. */
  rows(sql: string): SQLOutputValue[][] {
    const statement = this.#database.prepare(sql);
    // The rows are lists, because an object would merge columns with the same name and put numeric names first.
    statement.setReturnArrays(true);
    return statement.all() as unknown as SQLOutputValue[][];
  }
}

/** All numbers in a string, in order and as written ("1,139", "7.6", "2015"), except for numbers inside names. */
export function numbersIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w₂])\d[\d,]*(?:\.\d+)?(?![\w])/g)].map(([number]) => number.replace(/,$/, ''));
}

/** Flattens strings, numbers, and lists of them into one list of strings. */
export function flat(...values: unknown[]): string[] {
  return values.flat(3).map(String);
}
