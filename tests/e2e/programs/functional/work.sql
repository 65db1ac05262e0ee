-- SPDX-License-Identifier: GPL-3.0-or-later
-- Tables, indexes, joins, aggregates, windows, JSON, recursion, transactions, triggers, full text, spatial index, vacuum, over
-- a database that it makes by arithmetic. The lines marked "known" have answers that follow from arithmetic alone.
.bail off
.nullvalue NULL
.separator |
PRAGMA page_size = 1024;
PRAGMA journal_mode = DELETE;
CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, weight REAL);
CREATE TABLE visit(id INTEGER PRIMARY KEY, word_id INTEGER REFERENCES word(id), day INTEGER, amount INTEGER, note BLOB);
CREATE TABLE journal(line TEXT);
CREATE TRIGGER on_visit AFTER UPDATE OF amount ON visit WHEN new.amount < 0 BEGIN
	INSERT INTO journal VALUES(format('visit %d: %d to %d', new.id, old.amount, new.amount));
END;
BEGIN;
WITH RECURSIVE n(i, x) AS (SELECT 1, 20260101 UNION ALL SELECT i + 1, x * 16807 % 2147483647 FROM n WHERE i < 400)
INSERT INTO word SELECT i, printf('%s-%05x', substr('alphabetagammadelta', 1 + x % 14, 5), x), x % 1000 / 7.0 FROM n;
WITH RECURSIVE n(i, x) AS (SELECT 1, 42 UNION ALL SELECT i + 1, x * 16807 % 2147483647 FROM n WHERE i < 4000)
INSERT INTO visit SELECT i, 1 + x % 400, x % 365, x % 977, CASE WHEN i % 5 THEN NULL ELSE randomblob(0) || printf('%d', x) END FROM n;
COMMIT;
CREATE INDEX by_day ON visit(day, amount DESC);
CREATE INDEX by_word ON visit(word_id) WHERE amount > 100;
ANALYZE;

SELECT 'known', count(*), sum(id), max(id) FROM visit;
SELECT 'known', sum(i) FROM (WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n);
WITH RECURSIVE f(n, a, b) AS (VALUES(0, 0, 1) UNION ALL SELECT n + 1, b, a + b FROM f WHERE n < 60) SELECT 'known', a FROM f WHERE n = 60;
WITH RECURSIVE n(i) AS (VALUES(2) UNION ALL SELECT i + 1 FROM n WHERE i < 1000),
	composite(i) AS (SELECT a.i * b.i FROM n a JOIN n b ON b.i <= 1000 / a.i AND b.i >= a.i)
SELECT 'known', count(*), max(i) FROM n WHERE i NOT IN (SELECT i FROM composite);

EXPLAIN QUERY PLAN SELECT * FROM visit WHERE day = 7 AND amount > 10;
SELECT w.text, count(*), sum(v.amount), round(avg(v.amount), 3), group_concat(v.id, ' ') FROM visit v JOIN word w ON w.id = v.word_id
	GROUP BY w.id HAVING count(*) > 14 ORDER BY 3 DESC, 1 LIMIT 20;
SELECT w.id, w.text FROM word w LEFT JOIN visit v ON v.word_id = w.id AND v.day = 100 WHERE v.id IS NULL ORDER BY w.weight LIMIT 5;
SELECT day, amount, row_number() OVER w, rank() OVER w, ntile(4) OVER w, lag(amount, 2, -1) OVER w,
	sum(amount) OVER (PARTITION BY day ORDER BY amount ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING), first_value(amount) OVER w
	FROM visit WHERE day IN (3, 30, 300) WINDOW w AS (PARTITION BY day ORDER BY amount DESC, id) ORDER BY day, amount DESC, id;
SELECT day / 30, total(amount), min(amount), max(amount), count(DISTINCT word_id), sum(amount) FILTER (WHERE amount % 2) FROM visit GROUP BY 1;
SELECT 'known', json_extract('{"a":[1,2,{"b":"x"}]}', '$.a[2].b'), json_array_length('[1,[2,3],4]'), json_type('{"a":1.5}', '$.a');
SELECT json_group_array(json_object('id', id, 'text', text, 'weight', round(weight, 4))) FROM (SELECT * FROM word ORDER BY text LIMIT 6);
SELECT key, value, type, path FROM json_tree('{"k":{"l":[1,null,true,"z"]},"m":-2.5e3}') ORDER BY id;
SELECT json_patch(json_set('{"a":1}', '$.b', json('[1,2]'), '$.c', 'q'), '{"a":null,"d":{"e":5}}');
SELECT 'known', upper('abc') || lower('DEF') || replace('xyx', 'x', 'ab') || trim('  q  ') || hex('AZ') || length('äöü') || instr('haystack', 'st');
SELECT printf('%08.3f|%-6s|%+d|%x|%o|%e|%c|%q|%w|%,d', 3.14159, 'ab', 7, 255, 8, 12345.678, 'z', 'it''s', 'a"b', 1234567);
SELECT strftime('%Y-%m-%d %H:%M:%S %j %w', 86400 * 365.25 * 30, 'unixepoch'), julianday('2000-01-01'), date('2024-02-28', '+2 days', 'start of month', '-1 day');
SELECT text FROM word WHERE text GLOB '*[0-3]' AND text LIKE 'alp%' ESCAPE '\' AND text BETWEEN 'a' AND 'b' ORDER BY text DESC LIMIT 8;
SELECT 'known', quote(x'00ff'), typeof(1/2), 7 % 3, 1 << 10, ~5, 5 & 3 | 8, 10 / 4, 10 / 4.0, 'a' < 'b', NULL IS NOT 1, cast('12abc' AS INTEGER), 9223372036854775807 + 1;
SELECT round(sqrt(2), 9), round(pow(2, 0.5), 9), round(exp(ln(10)), 6), ceil(1.2), floor(-1.2), round(sin(pi() / 6), 9);

BEGIN;
SAVEPOINT one;
UPDATE visit SET amount = -amount WHERE id % 100 = 0;
SAVEPOINT two;
DELETE FROM visit WHERE day > 100;
SELECT count(*) FROM visit;
ROLLBACK TO two;
SELECT count(*), sum(amount) FROM visit;
RELEASE one;
COMMIT;
SELECT count(*), min(line), max(line) FROM journal;
INSERT INTO word(id, text, weight) VALUES(1, 'again', 0) ON CONFLICT(id) DO UPDATE SET text = excluded.text || '-' || word.id RETURNING id, text;
INSERT INTO word(text) SELECT text FROM word LIMIT 1;
INSERT INTO word(text) VALUES(NULL);
SELECT * FROM missing;
SELECT 1 +;
UPDATE visit SET amount = amount + 1 FROM word WHERE word.id = visit.word_id AND word.weight < 10;
DELETE FROM visit WHERE id IN (SELECT v.id FROM visit v ORDER BY v.amount DESC LIMIT 250) RETURNING id % 50 = 0;
ALTER TABLE visit ADD COLUMN extra TEXT DEFAULT 'none';
ALTER TABLE visit RENAME COLUMN note TO remark;
CREATE VIEW busy AS SELECT day, count(*) AS visits FROM visit GROUP BY day HAVING visits > 8;
SELECT count(*), sum(visits) FROM busy;
SELECT * FROM (SELECT day FROM busy EXCEPT SELECT day FROM visit WHERE amount > 960 INTERSECT SELECT day FROM busy ORDER BY 1) LIMIT 6;
CREATE TABLE plain(a, b, PRIMARY KEY(b, a)) WITHOUT ROWID;
INSERT INTO plain SELECT day, amount FROM visit GROUP BY 1, 2;
SELECT count(*), sum(a * b) FROM plain WHERE b > 500;
CREATE TABLE made(x, y AS (x * 2) STORED, z AS (y + 1), CHECK(x < 100));
INSERT INTO made(x) VALUES(3), (50), (99);
INSERT INTO made(x) VALUES(100);
SELECT * FROM made;
CREATE VIRTUAL TABLE search USING fts4(body);
INSERT INTO search SELECT text || ' ' || replace(text, '-', ' layout ') FROM word;
SELECT count(*), min(body) FROM search WHERE search MATCH 'layout gamma*';
SELECT snippet(search, '[', ']'), offsets(search) FROM search WHERE body MATCH 'layout NEAR/2 alpha*' LIMIT 3;
CREATE VIRTUAL TABLE box USING rtree(id, x0, x1, y0, y1);
INSERT INTO box SELECT id, weight, weight + 1, id, id + 2 FROM word;
SELECT count(*), sum(id) FROM box WHERE x0 > 20 AND x1 < 60 AND y0 > 100;
CREATE TEMP TABLE sorted AS SELECT * FROM visit ORDER BY amount % 100, id;
SELECT id, extra FROM sorted WHERE rowid IN (1, 1000, 2000, 3000);
REINDEX;
VACUUM;
PRAGMA integrity_check;
PRAGMA foreign_key_check;
PRAGMA page_count;
SELECT name, type, tbl_name FROM sqlite_schema ORDER BY name;
.mode json
SELECT * FROM word WHERE id < 4;
.mode column
SELECT * FROM word WHERE id < 4;
.mode insert word
SELECT * FROM word WHERE id < 3;
.dump made
