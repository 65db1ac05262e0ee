-- SPDX-License-Identifier: GPL-3.0-or-later
-- A table in memory: filled, indexed, joined, changed.
create table t(id integer primary key, name text, value integer);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 150000)
insert into t select i, 'name ' || (i * 7919 % 100003), i * 31 % 1009 from n;
create index by_name on t(name);
select count(*), sum(length(name)) from t where name like 'name 1%';
select value, count(*), group_concat(substr(name, 6), ',') from t group by value order by 2 desc, 1 limit 3;
select count(*) from t a join t b on a.name = b.name and a.id < b.id;
update t set name = name || ' again' where value % 3 = 0;
delete from t where value % 5 = 0;
select count(*), max(length(name)) from t;
