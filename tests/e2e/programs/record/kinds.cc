// SPDX-License-Identifier: GPL-3.0-or-later
// Virtual calls, containers, exceptions.
#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct Shape {
	virtual ~Shape() = default;
	virtual double area(int round) const = 0;
};
struct Square : Shape {
	double area(int round) const override {
		return round * 2.0;
	}
};
struct Circle : Shape {
	double area(int round) const override {
		if (round % 97 == 0)
			throw std::runtime_error("too round");
		return round * 3.14;
	}
};

int main() {
	std::vector<std::unique_ptr<Shape>> shapes;
	std::map<std::string, double> areas;
	int thrown = 0;
	for (int i = 0; i < 300; i++) {
		if (i % 3)
			shapes.push_back(std::make_unique<Circle>());
		else
			shapes.push_back(std::make_unique<Square>());
		try {
			areas["shape " + std::to_string(i % 50)] += shapes.back()->area(i);
		} catch (const std::runtime_error &) {
			thrown++;
		}
	}
	return thrown == 2 && areas.size() == 50 ? 0 : 1;
}
